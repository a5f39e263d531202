/** Writes facts as lines for the model: a day of free time, an event or a series, a proposal, a trace, a turn. */
import { terms } from '../domain/text/search-words.ts';
import { minutesName } from '../domain/time/say.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import { clockOf, midnightOf, wallText, type Wall } from '../domain/time/wall-time.ts';
import type { FactEvent, PlanningFacts } from './model-planner.ts';
import { clipped, costOfJson, fittingLines, withMore } from './token-budget.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** What a text may cost. A title has some 80 letters, a turn 300 in the prompt and in the reply. */
const MOST = { title: 24, rule: 30, task: 12, summary: 50, turn: 86 };

/** Of a series the next occurrence is given, and the starts of this many behind it. */
const STARTS_SHOWN = 2;

/** This many later events at most are given because the prompt seems to name them, for a third of the cost. */
const NAMED_SHOWN = 20;
const NAMED_SHARE = 1 / 3;
/** The words of the first thousand characters of the prompt are looked for in titles. */
const SEARCHED_CHARACTERS = 1000;

/** Writes times in the zone of the user. Models convert between zones badly. */
const createWriter = (zone: string) => {
  const { wallAt } = clockOf(zone);
  const day = (wall: Wall): string => wallText(wall).slice(0, 10);
  const named = (wall: Wall): string => `${DAY_NAMES[new Date(wall).getUTCDay()]} ${day(wall)}`;
  const hour = (wall: Wall): string => wallText(wall).slice(11, 16);
  return {
    wall: (at: Instant): Wall => wallAt(millis(at)),
    named,
    /** '2026-11-23 09:00'. */
    moment: (wall: Wall): string => `${day(wall)} ${hour(wall)}`,
    /** 'Mon 2026-11-23 09:00-09:30', with the last day where it is another one. */
    span: (from: Wall, to: Wall): string =>
      `${named(from)} ${hour(from)}${day(from) === day(to) ? `-${hour(to)}` : ` to ${day(to)} ${hour(to)}`}`,
  };
};

/** The coming days, each as 'Mon 2026-11-23'. */
export const comingDays = ({ now, zone }: PlanningFacts, count: number): string[] => {
  const { wall, named } = createWriter(zone);
  return Array.from({ length: count }, (_, days) => named(midnightOf(wall(now)) + days * DAY_MS));
};

/** A line for each day with free time: 'Mon 2026-11-23: 08:00-09:30, 11:00-17:00'. */
const freeDays = function* ({ zone, free }: PlanningFacts): Generator<string> {
  const { wall, named } = createWriter(zone);
  const days = new Map<Wall, string[]>();
  for (const { start, end } of free ?? []) {
    const to = wall(end);
    for (let from = wall(start); from < to;) {
      const day = midnightOf(from);
      const last = Math.min(to, day + DAY_MS);
      const [begin, stop] = [from, last].map((at) => minutesName((at - day) / MINUTE_MS));
      days.set(day, [...(days.get(day) ?? []), `${begin}-${stop}`]);
      from = last;
    }
  }
  for (const [day, stretches] of days) yield `${named(day)}: ${stretches.join(', ')}`;
};

export const freeLines = (facts: PlanningFacts, most: number): string[] | null => {
  if (facts.free === null) return null;
  const all = [...freeDays(facts)];
  return withMore(fittingLines(all, most), all.length, 'days');
};

/** An event that happens once, or the occurrences of a series. Those that are over are not shown, unless all are. */
type Line = { title: string; shown: FactEvent[]; all: FactEvent[]; start: number; isOver: boolean };

/** The soonest first, and those that are over last. */
const linesOf = ({ events, now }: PlanningFacts): Line[] => {
  const isAhead = ({ end }: FactEvent): boolean => millis(end) > millis(now);
  // An occurrence with a title of its own has a line of its own.
  const groups = Map.groupBy(events, ({ uid, recurrence_id, title }) =>
    recurrence_id ? JSON.stringify([uid, title]) : uid,
  );
  const lines = Array.from(groups.values(), (all): Line => {
    const ahead = all.filter(isAhead);
    const isOver = ahead.length === 0;
    const shown = isOver ? all : ahead;
    const { title, start } = shown[0] as FactEvent;
    return { title, shown, all, start: millis(start), isOver };
  });
  return lines.toSorted((a, b) => Number(a.isOver) - Number(b.isOver) || a.start - b.start);
};

const eventText = ({ shown, title }: Line, zone: string): string => {
  const { wall, span, moment, named } = createWriter(zone);
  const [first, ...later] = shown as [FactEvent, ...FactEvent[]];
  const { whole_days: days } = first;
  const at = (event: FactEvent): string => event.whole_days?.from ?? moment(wall(event.start));
  const when = days
    ? `${named(Date.parse(days.from))}${days.from === days.to ? '' : ` to ${days.to}`} all day`
    : span(wall(first.start), wall(first.end));
  const starts = later.slice(0, STARTS_SHOWN).map((event) => `, ${at(event)}`);
  const rule = first.rrule ? ` ${clipped(first.rrule, MOST.rule)}` : '';
  const repeats = first.recurrence_id ? `${starts.join('')}, repeats${rule}` : '';
  return `${when}${repeats}: ${clipped(title, MOST.title)}`;
};

/**
 * A line for each event: the soonest, and later ones that the prompt seems to name. Each begins with a reference, which is short
 * because a uid has some 25 tokens; the events that are returned have it.
 */
export const eventLines = (
  facts: PlanningFacts,
  prompt: string,
  most: number,
): { lines: string[]; events: FactEvent[] } => {
  const all = linesOf(facts);
  const texts = new Map<Line, string>();
  let left = most;
  const takes = (line: Line, kept: number): boolean => {
    if (texts.has(line)) return true;
    const text = eventText(line, facts.zone);
    const cost = costOfJson(`e${texts.size} ${text}`);
    if (left - cost < kept) return false;
    left -= cost;
    texts.set(line, text);
    return true;
  };
  const asked = new Set(terms(prompt.slice(0, SEARCHED_CHARACTERS)));
  const named = all.filter(({ title }) => terms(title).some((term) => asked.has(term)));
  for (const line of named.slice(0, NAMED_SHOWN)) takes(line, most * (1 - NAMED_SHARE));
  for (const line of all) if (!takes(line, 0)) break;
  const shown = all.filter((line) => texts.has(line));
  return {
    lines: withMore(
      shown.map((line, n) => `e${n + 1} ${texts.get(line)}`),
      all.length,
      'events',
    ),
    events: shown.flatMap((line, n) => line.all.map((event) => ({ ...event, ref: `e${n + 1}` }))),
  };
};

/** A line for each proposal, with a reference as events have one. */
export const pendingLines = (
  { pending, zone }: PlanningFacts,
  most: number,
): { lines: string[]; pending: PlanningFacts['pending'] } => {
  const { wall, moment } = createWriter(zone);
  const texts = pending.map(({ action_type, title, scheduled_for: at, rrule, yours }, n) => {
    const when = at === null ? 'without a time' : moment(wall(at));
    const rule = rrule === null ? '' : ` repeats ${clipped(rrule, MOST.rule)}`;
    return `p${n + 1} ${yours ? 'yours' : 'not yours'} ${action_type} ${when}${rule}: ${clipped(title, MOST.title)}`;
  });
  const kept = fittingLines(texts, most);
  return {
    lines: withMore(kept, texts.length, 'proposals'),
    pending: pending.slice(0, kept.length).map((plan, n) => ({ ...plan, ref: `p${n + 1}` })),
  };
};

export const traceLines = ({ traces, zone }: PlanningFacts, most: number): string[] => {
  const { wall, moment } = createWriter(zone);
  const texts = traces.map(({ type, task_id, timestamp, summary }) => {
    const task = task_id === null ? '' : ` #${clipped(task_id, MOST.task)}`;
    return `${moment(wall(timestamp))} ${type}${task}: ${clipped(summary, MOST.summary)}`;
  });
  return withMore(fittingLines(texts, most), texts.length, 'traces');
};

/** The turns before, oldest first, each text with the same share of the cost. */
export const turnsShown = ({ turns }: PlanningFacts, most: number): PlanningFacts['turns'] => {
  const share = Math.min(MOST.turn, most / (2 * turns.length));
  const shown = (text: string): string => clipped(text, share);
  return turns.map(({ prompt, reply }) => ({ prompt: shown(prompt), reply: shown(reply) }));
};
