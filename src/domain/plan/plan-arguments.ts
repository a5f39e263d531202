/** Schemas of a plan's `arguments` for each type of action. The caller's own data belongs in `metadata`. */
import { z } from 'zod';
import { Reminders, Scope } from '../record/field-shapes.ts';
import { LimitsPatch } from './limits.ts';
import { TempoPatch } from './tempo.ts';
import type { ActionType, PlanAction } from './plan.ts';

const Yes = z.literal(true, 'must be true; leave it out otherwise');
const WallTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a wall time in the form HH:MM');

/** The texts of an event, with the lengths that the calendar allows. */
const TEXTS = {
  title: z.string().trim().min(1).max(500).describe('For reschedule only. The new title of the event.'),
  location: z.string().trim().min(1).max(1_000).describe('For schedule and reschedule. The place of the event.'),
  description: z.string().trim().min(1).max(50_000).describe('For reschedule only. The new description of the event.'),
};

const FIELDS = {
  cancel: Yes.describe('For reschedule only. The target event is removed instead of moved.'),
  all_day: Yes.describe('For schedule only. The event takes whole local days, from that of scheduled_for on.'),
  after: WallTime.describe('For schedule and reschedule. Without scheduled_for, no slot starts before this wall time.'),
  recurrence_id: z.iso
    .datetime({ precision: 3, error: 'must be the recurrence_id of an occurrence, as the calendar lists it' })
    .describe('For reschedule only. Which occurrence of a series is meant; by default the next one.'),
  scope: Scope.extract(['following'], 'must be following; leave it out for one occurrence').describe(
    'For reschedule only. This occurrence and all later ones are meant.',
  ),
  before: WallTime.describe('For schedule and reschedule. No slot ends after this wall time.'),
  ...TEXTS,
  reminders: Reminders.describe(
    'For schedule and reschedule. The reminders of the event, in minutes before its start. [] is none; of a change, they replace those that are.',
  ),
  limits: LimitsPatch.describe(
    'For configure only. A JSON Merge Patch (RFC 7396) on the limits; null switches a limit off.',
  ),
  tempo: TempoPatch.describe(
    'For configure only. A JSON Merge Patch (RFC 7396) on the timing preferences; null restores a default.',
  ),
};
type Field = keyof typeof FIELDS;

const isOrdered = ({ after, before }: { after?: string | undefined; before?: string | undefined }): boolean =>
  after === undefined || before === undefined || after < before;

export const PlanArguments = z
  .strictObject(FIELDS)
  .partial()
  .refine(isOrdered, { path: ['before'], message: 'must be later than after' })
  .meta({
    id: 'PlanArguments',
    description: 'Other members are refused; put your own data into `metadata`.',
  });
export type PlanArguments = z.infer<typeof PlanArguments>;

const TAKES: Record<ActionType, readonly Field[]> = {
  schedule: ['all_day', 'after', 'before', 'location', 'reminders'],
  reschedule: ['cancel', 'recurrence_id', 'scope', 'after', 'before', 'title', 'location', 'description', 'reminders'],
  reflect: [],
  log: [],
  configure: ['limits', 'tempo'],
};

/** Lists the given arguments that this type of action does not take, each with its fault. */
export const foreignArguments = (
  action_type: ActionType,
  given: PlanArguments | undefined = {},
): { field: Field; message: string }[] =>
  (Object.keys(given) as Field[])
    .filter((field) => given[field] !== undefined && !TAKES[action_type].includes(field))
    .map((field) => {
      const takers = (Object.keys(TAKES) as ActionType[]).filter((type) => TAKES[type].includes(field));
      return { field, message: `is allowed for ${takers.join(' and ')} only` };
    });

/** Reads stored arguments. Plans of earlier releases and imported ones may hold anything, so invalid parts are ignored. */
export const readArguments = ({ action_type, arguments: stored }: PlanAction): PlanArguments => {
  const said = TAKES[action_type].flatMap((field) => {
    const read = FIELDS[field].safeParse(stored[field]);
    return read.success ? [[field, read.data] as const] : [];
  });
  const { after, before, ...rest }: PlanArguments = Object.fromEntries(said);
  if (!isOrdered({ after, before })) return rest;
  return { ...rest, ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) };
};
