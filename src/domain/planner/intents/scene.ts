/** What the values of a model's actions are compared with: the words of a conversation, what they name, and how the built-in planner reads them. */
import { addMinutes, type Instant, zoned } from '../../time/time.ts';
import { nameWords } from '../act/names.ts';
import { type Heard, heardIn, numberOf } from './heard.ts';
import { hasName } from './spoken.ts';
import type { Intent, IntentContext } from './types.ts';

/** A longer prompt is compared up to here. */
export const MOST_CHARS = 5_000;
/** What a turn before says is looked for in its beginning. */
const CHARS_OF_TURN = 500;
/** The most things that are compared, whatever a calendar or a prompt has. */
export const MOST_THINGS = 40;

/** An event or a proposal. */
export type Target = Timed & { rrule?: string | null };
export type Timed = { title: string; scheduled_for?: Instant | null; duration_minutes?: number | null };

/** What the prompt, its conversation and the calendar say: what each time of an action is compared with. */
export type Scene = {
  /** The prompt alone, and with the turns before it. */
  own: Heard;
  all: readonly Heard[];
  zone: string;
  now: Instant;
  today: number;
  intents: readonly Intent[];
  targets: ReadonlyMap<Intent, Target | undefined>;
  /** The clock times of what is named and of the actions, and those at which the built-in planner begins something. */
  points: { of: Timed; minutes: number[] }[];
  builtInStarts: number[];
  /** Events and proposals that the prompt names, and what the built-in planner reads in it. */
  named: readonly Timed[];
  builtIn: readonly Intent[];
};

export const hasClock = ({ clocks, ends, hours }: Heard): boolean => clocks.size + ends.size + hours.length > 0;
export const hasDays = ({ days, bounds, repeated, isAnyDay }: Heard): boolean =>
  isAnyDay || days.length + bounds.length + repeated.size > 0;
export const some = <T>(all: readonly Heard[], of: (heard: Heard) => Iterable<T>, most = Infinity): T[] =>
  all.flatMap((heard) => [...of(heard)]).slice(0, most);

export const dayOf = (at: Instant, zone: string): number => numberOf(zoned(at, zone).toPlainDate());
export const minuteOf = (at: Instant, zone: string): number => zoned(at, zone).hour * 60 + zoned(at, zone).minute;

/** The first and the last day, or the first and the last minute of the day, of what is known. */
export const daysOf = ({ scheduled_for: at, duration_minutes: minutes }: Timed, zone: string): number[] =>
  at ? [at, addMinutes(at, Math.max(0, (minutes ?? 0) - 1))].map((one) => dayOf(one, zone)) : [];
export const minutesOf = ({ scheduled_for: at, duration_minutes: minutes }: Timed, zone: string): number[] =>
  at ? [at, addMinutes(at, minutes ?? 0)].map((one) => minuteOf(one, zone)) : [];

const targetOf = (intent: Intent, { events, pending }: IntentContext): Target | undefined => {
  const { target_event_uid: event, target_plan_uid: plan, arguments: given } = intent;
  const isMeant = ({ uid, recurrence_id: which }: IntentContext['events'][number]): boolean =>
    uid === event && (!given.recurrence_id || which === given.recurrence_id);
  return events.find(isMeant) ?? pending.find(({ uid }) => uid === plan);
};

/** The things that the words name, without those of which another one has more of the words: 'team lunch' is no other lunch. */
const namedBy = <T extends Timed>(asked: readonly string[], things: readonly T[]): T[] => {
  const words = new Map<string, Set<string>>();
  for (const { title } of things)
    if (!words.has(title)) words.set(title, new Set(nameWords(title).filter((word) => hasName(asked, word))));
  const named = [...words].filter(([, own]) => own.size > 0).slice(0, MOST_THINGS);
  const isBest = ([title, own]: (typeof named)[number]): boolean =>
    nameWords(title).every((word) => own.has(word)) ||
    !named.some(([, other]) => other.size > own.size && own.isSubsetOf(other));
  const best = new Set(named.filter(isBest).map(([title]) => title));
  return things.filter(({ title }) => best.has(title)).slice(0, MOST_THINGS);
};

/** Whether nothing of the turns before is needed. */
const saysAll = (own: Heard): boolean => hasDays(own) && hasClock(own) && own.lengths.size > 0;

export const sceneOf = (
  prompt: string,
  intents: readonly Intent[],
  builtIn: readonly Intent[],
  context: IntentContext,
): Scene => {
  const { zone, now, before, events, pending } = context;
  const turns = (before?.turns ?? []).map((turn) => turn.prompt.slice(0, CHARS_OF_TURN));
  const asked = nameWords([prompt, ...turns].join('\n'));
  const own = heardIn(prompt, context);
  const targets = new Map(intents.map((intent) => [intent, targetOf(intent, context)]));
  const spokenOf = pending.filter(({ uid }) => before?.plan_uids?.includes(uid)).slice(0, MOST_THINGS);
  const named = [...spokenOf, ...namedBy<Timed>(asked, [...pending, ...events])];
  const read = builtIn.slice(0, MOST_THINGS);
  return {
    ...{ own, all: [own, ...(saysAll(own) ? [] : turns.map((text) => heardIn(text, context)))] },
    ...{ zone, now, today: dayOf(now, zone) },
    ...{ intents, targets, named, builtIn: read },
    points: [
      ...named.map((of) => ({ of, minutes: minutesOf(of, zone) })),
      ...intents.map((of) => ({ of, minutes: minutesOf({ ...targets.get(of), ...of }, zone) })),
    ],
    builtInStarts: read.flatMap((one) => minutesOf(one, zone).slice(0, 1)),
  };
};
