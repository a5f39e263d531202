/** The time of the ledger as a line: a handle for the moment that is shown, and one for that with which it is compared. */
import { signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { asOf, change, NOW, until } from '../state/address.ts';
import { keys } from '../state/data.ts';
import { position, readerKey, type Position } from '../state/past.ts';
import { clockText, lengthText, momentOf, showDate, wallOf } from '../state/wall-time.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const STEPS = 1000;
/** More marks would touch each other. */
const MOST_MARKS = 7;

const SPANS = [
  ['A day', DAY],
  ['A week', 7 * DAY],
  ['A month', 31 * DAY],
  ['All', Infinity],
] as const;
/** The index of the shown span; a longer one is shown where the moment is earlier. */
const chosen = signal(0);

type Axis = { start: number; end: number };

const percent = ({ start, end }: Axis, at: number): number =>
  (100 * (Math.min(end, Math.max(start, at)) - start)) / (end - start);

/** The beginning of the day whose midnight is nearest, also where clocks change. */
const midnightNear = (at: number): number => {
  const before = at - wallOf(at).minutes * MINUTE;
  const { minutes } = wallOf(before);
  return before + (minutes > 720 ? 1440 - minutes : -minutes) * MINUTE;
};

/** How the marks of a line are written that has at most so many days. */
const MARKS: [days: number, Intl.DateTimeFormatOptions][] = [
  [8, { weekday: 'short', day: 'numeric' }],
  [300, { day: 'numeric', month: 'short' }],
  [Infinity, { month: 'short', year: 'numeric' }],
];

const HOURS = 4;

const marksOf = (axis: Axis): { at: number; text: string }[] => {
  const days = (axis.end - axis.start) / DAY;
  const marks: { at: number; text: string }[] = [];
  if (days <= 1.5) {
    const step = HOURS * 60;
    for (let at = axis.start; at <= axis.end; at += step * MINUTE) {
      const mark = at + (step - (wallOf(at).minutes % step)) * MINUTE;
      if (mark <= axis.end) marks.push({ at: mark, text: clockText(wallOf(mark).minutes) });
    }
    return marks;
  }
  const step = Math.ceil(days / MOST_MARKS);
  for (let at = midnightNear(axis.start + DAY * 0.75); at <= axis.end; at = midnightNear(at + (step + 0.25) * DAY))
    marks.push({ at, text: showDate(wallOf(at).date, MARKS.find(([most]) => days <= most)![1]) });
  return marks;
};

/** A time with an offset is exact; of other moments the time of the entry is known. */
const timeOf = (moment: string | undefined, entry: Position['from']): number | undefined =>
  moment?.endsWith('Z') ? Date.parse(moment) : entry && Date.parse(entry.recorded_at);

type HandleProps = {
  label: string;
  axis: Axis;
  at: number;
  min: number;
  max: number;
  /** The id of what its keys do. */
  help: string;
  /** Whether it lies over the other one: of two at one place, that one does which can be pulled away from the nearer end. */
  above?: boolean;
  onPlace: (step: number) => void;
};

/** So far an arrow key moves a handle, in minutes: a round length, of which the line has a few hundred at most. */
const KEY_STEPS = [1, 15, 60, 360, 1440, 10_080];
const MOST_KEY_STEPS = 200;
const keyStepOf = ({ start, end }: Axis): number =>
  KEY_STEPS.find((minutes) => end - start <= MOST_KEY_STEPS * minutes * MINUTE) ?? (KEY_STEPS.at(-1) as number);

const DIRECTIONS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

/** It is shown as long as a handle has the focus. */
const KeyHelp = ({ id, axis }: { id: string; axis: Axis }) => (
  <span id={id} class="key-help">
    An arrow key moves this handle by {lengthText(keyStepOf(axis))}. Home and End move it as far as it goes.
  </span>
);

const Handle = ({ label, axis, at, min, max, help, above = false, onPlace }: HandleProps) => {
  const pulled = useSignal<number | undefined>(undefined);
  const stepAt = (moment: number): number => (percent(axis, moment) / 100) * STEPS;
  const step = pulled.value ?? Math.round(stepAt(at));
  const moment = pulled.value === undefined ? at : axis.start + (step / STEPS) * (axis.end - axis.start);
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    onPlace(Math.min(max, Math.max(min, stepAt(at + direction * keyStepOf(axis) * MINUTE))));
  };
  return (
    <input
      type="range"
      aria-label={label}
      aria-describedby={help}
      onKeyDown={onKeyDown}
      aria-valuetext={step >= STEPS ? NOW : momentOf(new Date(moment).toISOString())}
      min={0}
      max={STEPS}
      value={step}
      style={{ zIndex: Number(above) }}
      onInput={({ currentTarget }) => {
        pulled.value = Math.min(max, Math.max(min, Number(currentTarget.value)));
        currentTarget.value = String(pulled.value);
      }}
      onChange={() => {
        if (pulled.value !== undefined) onPlace(pulled.value);
        pulled.value = undefined;
      }}
    />
  );
};

const Steps = ({ from, head, until: later }: Position) => {
  const seq = from?.seq ?? 0;
  const last = until.value === undefined ? head.seq : (later?.seq ?? 1) - 1;
  const goTo = (next: number): void => change({ asof: String(next) }, true);
  return (
    <div class="steps" role="group" aria-label="Ledger number">
      <button type="button" aria-label="One change earlier" disabled={seq <= 1} onClick={() => goTo(seq - 1)}>
        ‹
      </button>
      <output>
        {seq} of {head.seq}
      </output>
      <button type="button" aria-label="One change later" disabled={seq >= last} onClick={() => goTo(seq + 1)}>
        ›
      </button>
    </div>
  );
};

const ended = (by: string | null | undefined, at: number): boolean => by != null && Date.parse(by) <= at;

/** As whom the past is read: the person, or an agent whose key was valid then. */
const ReaderChoice = ({ from }: Position) => {
  const at = from ? Date.parse(from.recorded_at) : 0;
  const { value: chosen } = readerKey;
  const then = (keys.data.value ?? [])
    .filter(
      ({ kind, created_at, expires_at, revoked_at }) =>
        kind === 'agent' && Date.parse(created_at) <= at && !ended(expires_at, at) && !ended(revoked_at, at),
    )
    .toSorted((a, b) => a.label.localeCompare(b.label));
  if (!then.length && !chosen) return null;
  return (
    <select
      aria-label="Known to"
      value={chosen?.id ?? ''}
      onChange={({ currentTarget }) => change({ reader: currentTarget.value || undefined }, true)}
    >
      <option value="">Known to you</option>
      {then.map(({ id, label }) => (
        <option key={id} value={id}>
          Known to {label}
        </option>
      ))}
      {chosen && !then.includes(chosen) && <option value={chosen.id}>{chosen.label} had no key then</option>}
    </select>
  );
};

export const Timeline = () => {
  const help = useId();
  const { value: known } = position.data;
  if (!known) return null;
  // The clock of the browser may be behind that of the service.
  const now = Math.max(Date.now(), Date.parse(known.head.recorded_at) + MINUTE);
  const [first, from] = [Date.parse(known.first.recorded_at), timeOf(asOf.value, known.from)];
  const shown = Math.max(first, from ?? first);
  const later = until.value === undefined || until.value === NOW ? now : (timeOf(until.value, known.until) ?? now);
  const least = SPANS.findIndex(([, length]) => now - length <= shown);
  const span = Math.max(least, chosen.value);
  const axis = { start: Math.max(first, now - (SPANS[span]?.[1] ?? Infinity)), end: now };
  const momentAt = (step: number): string =>
    new Date(axis.start + (step / STEPS) * (axis.end - axis.start)).toISOString();
  const stepOf = (at: number): number => Math.round((percent(axis, at) / 100) * STEPS);

  const last = stepOf(later);
  /** The line stays as it is under the hand, also where a shorter one would do. */
  const place = (moments: Parameters<typeof change>[0]): void => {
    chosen.value = span;
    change(moments, true);
  };
  return (
    <div class="timeline">
      <Steps {...known} />
      <div class="rail">
        <div class="line">
          {until.value !== undefined && (
            <span
              class="between"
              style={{ left: `${percent(axis, shown)}%`, right: `${100 - percent(axis, later)}%` }}
            />
          )}
          {marksOf(axis).map(({ at, text }) => (
            <small key={at} style={{ left: `${percent(axis, at)}%` }}>
              {text}
            </small>
          ))}
        </div>
        <Handle
          {...{
            help,
            label: 'Earlier moment',
            axis,
            at: shown,
            min: 0,
            max: Math.max(0, last - 1),
            above: last > STEPS / 2,
          }}
          onPlace={(step) => place({ asof: momentAt(step) })}
        />
        {until.value !== undefined && (
          <Handle
            {...{ help, label: 'Later moment', axis, at: later, min: Math.min(STEPS, stepOf(shown) + 1), max: STEPS }}
            onPlace={(step) => place({ until: step === STEPS ? NOW : momentAt(step) })}
          />
        )}
      </div>
      <select
        aria-label="Length of the line"
        value={span}
        onChange={({ currentTarget }) => (chosen.value = Number(currentTarget.value))}
      >
        {SPANS.map(([name], n) => (
          <option key={name} value={n} disabled={n < least}>
            {name}
          </option>
        ))}
      </select>
      <ReaderChoice {...known} />
      <KeyHelp id={help} axis={axis} />
    </div>
  );
};
