/** The form of a new event, and of one that changes. */
import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { wallFrom, wallText, YEARS, type Wall } from '../state/wall-time.ts';
import type { Fields } from '../ui/fields.ts';
import { Form, FormButtons } from '../ui/form.tsx';
import { LengthFields } from '../ui/length-fields.tsx';
import { useFocus } from '../ui/use-focus.ts';
import type { Scope } from './event-changes.ts';
import { KEPT, RepetitionField, ruleFrom } from './repetition-field.tsx';

const DAY = 1440;

export type Given = {
  title: string;
  all_day: boolean;
  /** A date for whole days, else a wall time. */
  scheduled_for: string;
  duration_minutes: number;
  location: string | null;
  description: string | null;
  /** Only where it is chosen; null ends a series. */
  rrule?: string | null;
};

type Props = {
  given: Omit<Given, 'scheduled_for' | 'rrule'> & { start: Wall };
  /** Of one of a series its rule, or null where its days are listed. A part may be meant; whole days are then as they are. */
  rule?: string | null | undefined;
  action: string;
  /** Whether the button counts already. */
  isReady?: boolean;
  /** The name under which it keeps what is typed. */
  draft: string;
  version?: number;
  /** Whether it is a new event. */
  fresh?: boolean;
  /** Whether the person has drawn the time, which then counts more than one that was typed before. */
  drawn?: boolean;
  /** What is typed changes. */
  onInput?: (event: { currentTarget: HTMLFormElement }) => void;
  /** What the form says above its buttons. */
  warning?: ComponentChildren;
  onSave: (given: Given, scope: Scope) => Promise<boolean>;
  onDone: () => void;
};

const SCOPES: [Scope, string][] = [
  ['this', 'this occurrence'],
  ['following', 'this and all later ones'],
  ['all', 'the whole series'],
];

const Times = ({ given, allDay, isDrawn }: { given: Props['given']; allDay: boolean; isDrawn: boolean }) => {
  const drawn = isDrawn ? '' : undefined;
  const { start, duration_minutes: minutes, all_day } = given;
  if (allDay)
    return (
      <>
        <label>
          First day <input name="date" type="date" data-drawn={drawn} required defaultValue={start.date} />
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
        Start{' '}
        <input
          name="start"
          type="datetime-local"
          {...YEARS}
          data-drawn={drawn}
          required
          defaultValue={wallText(start)}
        />
      </label>
      <LengthFields minutes={all_day ? 60 : minutes} most={40_320} required drawn={drawn} />
    </>
  );
};

export const EventForm = ({
  given,
  rule,
  action,
  isReady,
  draft,
  version,
  fresh = false,
  drawn = false,
  onInput,
  warning,
  onSave,
  onDone,
}: Props) => {
  const series = rule !== undefined;
  const allDay = useSignal(given.all_day);
  const repeats = useSignal(series ? KEPT : 'never');
  // What was before this occurrence repeated as it did.
  const scopes = repeats.value === KEPT ? SCOPES : SCOPES.filter(([scope]) => scope === 'following');
  const title = useFocus<HTMLInputElement>();
  const onSend = async ({ text, isChanged }: Fields): Promise<boolean> => {
    const times = allDay.value
      ? { scheduled_for: text('date'), duration_minutes: Number(text('days')) * DAY }
      : { scheduled_for: wallText(wallFrom(text('start'))), duration_minutes: Number(text('minutes')) };
    const written = (name: 'location' | 'description') => (isChanged(name) ? text(name).trim() || null : given[name]);
    const rrule = ruleFrom(text('repeats'), text('until'), times.scheduled_for);
    const isChosen = text('repeats') !== KEPT && (series || rrule !== null);
    const next = {
      title: text('title'),
      all_day: allDay.value,
      ...times,
      location: written('location'),
      description: written('description'),
      ...(isChosen ? { rrule } : {}),
    };
    const worked = await onSave(next, (text('scope') || 'all') as Scope);
    if (worked) onDone();
    return worked;
  };
  return (
    <Form class="edit" draft={draft} version={version} fresh={fresh} onSend={onSend} onInput={onInput}>
      <label>
        Title{' '}
        <input ref={title} name="title" required maxLength={500} defaultValue={given.title} dir="auto" data-first="" />
      </label>
      {!series && (
        <label class="check">
          <input
            name="all_day"
            type="checkbox"
            defaultChecked={given.all_day}
            onChange={({ currentTarget }) => (allDay.value = currentTarget.checked)}
          />
          <span>Whole days</span>
        </label>
      )}
      <Times key={String(allDay.value)} given={given} allDay={allDay.value} isDrawn={drawn} />
      <RepetitionField start={given.start} repeats={repeats} rule={rule} />
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
            {scopes.map(([scope, name]) => (
              <option key={scope} value={scope}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {warning}
      <FormButtons action={action} isReady={isReady} draft={draft} onDone={onDone} />
    </Form>
  );
};
