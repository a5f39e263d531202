/** The form of a new event, and of one that changes. */
import { useSignal } from '@preact/signals';
import { wallFrom, wallText, type Wall } from '../state/wall-time.ts';
import { fieldsOf } from '../ui/fields.ts';
import { useFocus } from '../ui/use-focus.ts';
import type { Scope } from './event-changes.ts';
import { RepetitionField, ruleFrom } from './repetition-field.tsx';

const DAY = 1440;

export type Given = {
  title: string;
  all_day: boolean;
  /** A date for whole days, else a wall time. */
  scheduled_for: string;
  duration_minutes: number;
  location: string | null;
  description: string | null;
  /** Only of an event that does not repeat yet. */
  rrule?: string;
};

type Props = {
  given: Omit<Given, 'scheduled_for' | 'rrule'> & { start: Wall };
  /** Whether it is one of a series, of which a part may be meant; whole days are then as they are. */
  series?: boolean;
  action: string;
  onSave: (given: Given, scope: Scope) => Promise<boolean>;
  onDone: () => void;
};

const SCOPES: [Scope, string][] = [
  ['this', 'this occurrence'],
  ['following', 'this and all later ones'],
  ['all', 'the whole series'],
];

const Times = ({ given, allDay }: { given: Props['given']; allDay: boolean }) => {
  const { start, duration_minutes: minutes, all_day } = given;
  if (allDay)
    return (
      <>
        <label>
          First day <input name="date" type="date" required defaultValue={start.date} />
        </label>
        <label>
          Days{' '}
          <input
            name="days"
            type="number"
            min={1}
            max={28}
            required
            defaultValue={all_day ? Math.max(1, Math.round(minutes / DAY)) : 1}
          />
        </label>
      </>
    );
  return (
    <>
      <label>
        Start <input name="start" type="datetime-local" required defaultValue={wallText(start)} />
      </label>
      <label>
        Minutes{' '}
        <input name="minutes" type="number" min={1} max={40_320} required defaultValue={all_day ? 60 : minutes} />
      </label>
    </>
  );
};

export const EventForm = ({ given, series = false, action, onSave, onDone }: Props) => {
  const allDay = useSignal(given.all_day);
  const title = useFocus<HTMLInputElement>();
  const onSubmit = (event: SubmitEvent): void => {
    const field = fieldsOf(event);
    const times = allDay.value
      ? { scheduled_for: field('date'), duration_minutes: Number(field('days')) * DAY }
      : { scheduled_for: wallText(wallFrom(field('start'))), duration_minutes: Number(field('minutes')) };
    const [location, description] = [field('location').trim() || null, field('description').trim() || null];
    const rrule = series ? null : ruleFrom(field('repeats'), field('until'), times.scheduled_for);
    const next = {
      title: field('title'),
      all_day: allDay.value,
      ...times,
      location,
      description,
      ...(rrule === null ? {} : { rrule }),
    };
    void onSave(next, (field('scope') || 'all') as Scope).then((worked) => worked && onDone());
  };
  return (
    <form class="edit" onSubmit={onSubmit}>
      <label>
        Title{' '}
        <input ref={title} name="title" required maxLength={500} defaultValue={given.title} dir="auto" data-first="" />
      </label>
      {!series && (
        <label class="check">
          <input type="checkbox" checked={allDay.value} onChange={() => (allDay.value = !allDay.value)} />
          <span>Whole days</span>
        </label>
      )}
      <Times key={String(allDay.value)} given={given} allDay={allDay.value} />
      {!series && <RepetitionField start={given.start} />}
      <label>
        Where <input name="location" maxLength={1000} defaultValue={given.location ?? ''} dir="auto" />
      </label>
      <label>
        Notes{' '}
        <textarea name="description" rows={2} maxLength={50_000} defaultValue={given.description ?? ''} dir="auto" />
      </label>
      {series && (
        <label>
          Change{' '}
          <select name="scope">
            {SCOPES.map(([scope, name]) => (
              <option key={scope} value={scope}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="buttons">
        <button type="submit" class="primary">
          {action}
        </button>
        <button type="button" onClick={onDone}>
          Close
        </button>
      </div>
    </form>
  );
};
