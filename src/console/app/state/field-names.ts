export type Doc = Readonly<Record<string, unknown>>;
/** A document of any kind, by the names of its fields. */
export const asDoc = (document: object): Doc => document as Doc;

/** Those that mean something to a person, and their names. The others follow from these, or serve the service. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'title',
  content: 'text',
  status: 'status',
  scheduled_for: 'time',
  duration_minutes: 'length',
  all_day: 'whole days',
  timezone: 'time zone',
  rrule: 'repetition',
  rdates: 'more dates',
  exdates: 'left out',
  overrides: 'single times',
  location: 'where',
  description: 'notes',
  url: 'link',
  busy: 'takes time',
  reminders: 'reminders',
  task_id: 'task',
  tempo_tag: 'tempo',
  tags: 'tags',
  reasoning: 'why',
  arguments: 'details',
  metadata: 'details',
  notes: 'notes',
  feedback_rating: 'rating',
  authored_by: 'author',
  display_name: 'name',
  settings: 'settings',
  execution: 'approved plans are carried out',
  tempo: 'tempo hours',
  per_day: 'plans per day',
  per_week: 'plans per week',
};

export const fieldOf = (path: string): string => path.split('/')[1] ?? '';
export const isShownField = (path: string): boolean => fieldOf(path) in FIELD_NAMES;
