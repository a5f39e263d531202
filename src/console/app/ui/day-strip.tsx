/** The day of a proposal in one line: what is on the calendar, what else waits for it, and where this one goes. */
import type { Occurrence } from '../../../client/almanac-client.ts';
import { past } from '../state/address.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { pastClient } from '../state/service.ts';
import { cancels, firstStart, isAllDay } from '../state/series.ts';
import { configures } from '../state/settings.ts';
import { useAnswer } from '../state/use-answer.ts';
import { clockText, daysBetween, shortDate, wallOf, type Wall } from '../state/wall-time.ts';
import { Unread } from './failure.tsx';
import { Foreign, Hidden } from './text.tsx';

/** Minutes of the shown day. */
export type Span = { title: string; from: number; to: number; is: 'event' | 'other' | 'own' | 'gone'; key: string };

const DAY = 1440;
/** At least these hours are shown, so that strips of different days look alike. */
const [EARLIEST, LATEST] = [8 * 60, 20 * 60];
const TICK = 180;

const within = (date: string, start: Wall, minutes: number): { from: number; to: number } | undefined => {
  const from = daysBetween(date, start.date) * DAY + start.minutes;
  const [shownFrom, shownTo] = [Math.max(0, from), Math.min(DAY, from + minutes)];
  return shownTo > shownFrom ? { from: shownFrom, to: shownTo } : undefined;
};

const spanOf = (date: string, is: Span['is'], key: string, title: string, start: string, minutes: number): Span[] => {
  const span = within(date, wallOf(start), minutes);
  return span ? [{ ...span, is, key, title }] : [];
};

const takesTime = (plan: Waiting): boolean =>
  plan.scheduled_for !== null && !isAllDay(plan) && !cancels(plan) && !configures(plan);

const planSpan = (date: string, is: 'other' | 'own', plan: Waiting): Span[] =>
  takesTime(plan)
    ? spanOf(date, is, plan.uid, plan.title, firstStart(plan) as string, plan.duration_minutes ?? 30)
    : [];

type Timed = Pick<Occurrence, 'uid' | 'title' | 'scheduled_for' | 'duration_minutes'>;

export const eventSpan = (
  date: string,
  is: Span['is'],
  { uid, title, scheduled_for, duration_minutes }: Timed,
): Span[] => spanOf(date, is, `${is} ${uid} ${scheduled_for}`, title, scheduled_for, duration_minutes);

const percent = (part: number, of: number): string => `${(100 * part) / of}%`;

const Bar = ({ span: { is, title, from, to }, first, length }: { span: Span; first: number; length: number }) => (
  <li data-is={is} style={{ left: percent(from - first, length), width: percent(to - from, length) }}>
    <Hidden>
      {clockText(from)} to {clockText(to)}{' '}
    </Hidden>
    <Foreign lines={1}>{title}</Foreign>
  </li>
);

/** `error`: why the events of the day are missing. */
type StripProps = { label: string; spans: readonly Span[]; ready: boolean; error: unknown };

export const Strip = ({ label, spans: given, ready, error }: StripProps) => {
  const spans = given.toSorted((a, b) => a.from - b.from);
  const first = Math.floor(Math.min(EARLIEST, ...spans.map(({ from }) => from)) / 60) * 60;
  const length = Math.ceil(Math.max(LATEST, ...spans.map(({ to }) => to)) / 60) * 60 - first;
  const ticks = Array.from({ length: Math.floor(length / TICK) }, (_, n) => first + n * TICK);
  return (
    <div class="day-strip" data-ready={ready ? '' : undefined}>
      <ol aria-label={label}>
        {spans.map((span) => (
          <Bar key={span.key} span={span} first={first} length={length} />
        ))}
      </ol>
      {!ready && error !== undefined && <Unread error={error} />}
      <div class="ticks" aria-hidden="true">
        {ticks.map((at) => (
          <small key={at} style={{ left: percent(at - first, length) }}>
            {clockText(at)}
          </small>
        ))}
      </div>
    </div>
  );
};

/** The events of a day with a time. @param date nothing is asked without one */
export const useDay = (date: string | undefined): { events: Occurrence[] | undefined; error: unknown } => {
  const { data, error } = useAnswer(date, ['events'], () =>
    pastClient.calendar
      .events({ ...(date === undefined ? {} : { start: date, end: date }), limit: 200, ...past.value })
      .page(),
  );
  return { events: data?.items.filter(({ all_day }) => !all_day), error };
};

export const DayStrip = ({ plan }: { plan: Waiting }) => {
  const date = takesTime(plan) ? wallOf(firstStart(plan) as string).date : undefined;
  const { events, error } = useDay(date);
  if (date === undefined) return null;
  const others = (waiting.data.value ?? []).filter(({ uid }) => uid !== plan.uid);
  const spans = [
    ...(events ?? []).flatMap((event) => eventSpan(date, 'event', event)),
    ...others.flatMap((other) => planSpan(date, 'other', other)),
    ...planSpan(date, 'own', plan),
  ];
  const label = `${shortDate(date)}: what is there, and this proposal`;
  return <Strip {...{ label, spans, error }} ready={events !== undefined} />;
};
