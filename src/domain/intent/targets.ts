/** Targets: finds the event or proposal a request means by its title, its time or its task. */
import { compareDays } from './time/calendar.ts';
import type { Facet } from './facet.ts';
import { gather } from './gather.ts';
import { place } from './when.ts';
import type { IntentContext } from './types.ts';
import { type Instant, localDate, millis, zoned } from '../time/time.ts';
import { timeName } from '../time/say.ts';
import { cut } from './title.ts';
import { isNear } from './plain-words.ts';
import { setOf } from './words.ts';

/** An event or a proposal that may be meant. */
export type Target = {
  uid: string;
  kind: 'event' | 'plan';
  title: string;
  scheduled_for?: Instant;
  duration_minutes?: number;
  task_id?: string;
  recurrence_id?: string;
  /** Its place and description, by which it may be meant too: 'the thing with Lena'. */
  about?: string;
};
export type Match = { targets: Target[] } | { ask: string; missing?: true; among?: Target[] };

const EMPTY = setOf(
  "the a an my our your his her their with for on at in of to from and that this it one ones event appointment appt meeting session entry slot plan proposal block time thing stuff what is scheduled planned called named s please back forward up off out down away again over next have do can we should start begin starts begins will take takes upcoming only just i i've got ve everything anything booked",
);
const GENERIC = setOf('event appointment appt meeting session entry slot plan proposal block');

const stem = (word: string): string =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
/** The bare words of a title or a request, without case, accents and plural s. */
const wordsOf = (text: string): string[] => {
  const known = kept.get(text);
  if (known) return known;
  if (kept.size > MOST_KEPT) kept.clear();
  const words = readWords(text);
  kept.set(text, words);
  return words;
};
/** Titles of events are compared with every request. */
const kept = new Map<string, string[]>();
const MOST_KEPT = 2_000;

const readWords = (text: string): string[] =>
  (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/['’]s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map(stem);

export const targetsIn = ({ events, pending, now }: IntentContext): Target[] => [
  ...comingOf(events, now),
  ...pending.map((plan) => planTarget(plan)),
];

/** The events that are not over, kept for all clauses of a prompt. */
const comingOf = (events: IntentContext['events'], now: Instant): Target[] => {
  const known = coming.get(events);
  if (known?.now === now) return known.targets;
  const targets = events
    .filter(({ scheduled_for, duration_minutes }) => millis(scheduled_for) + duration_minutes * 60_000 > millis(now))
    .map(({ uid, title, scheduled_for, duration_minutes, task_id, recurrence_id, location, description }): Target => ({
      uid,
      kind: 'event',
      title,
      scheduled_for,
      duration_minutes,
      ...(task_id && { task_id }),
      ...(recurrence_id && { recurrence_id }),
      ...((location || description) && { about: `${location ?? ''} ${description ?? ''}`.slice(0, 500) }),
    }));
  coming.set(events, { now, targets });
  return targets;
};
const coming = new WeakMap<IntentContext['events'], { now: Instant; targets: Target[] }>();

/** A proposal as what is changed. One that cancels an event has the time of that event. */
export const planTarget = (plan: IntentContext['pending'][number], events: IntentContext['events'] = []): Target => {
  const { uid, title, task_id } = plan;
  const gone = plan.cancel
    ? events.find(
        (one) => one.uid === plan.target_event_uid && (one.recurrence_id ?? null) === (plan.recurrence_id ?? null),
      )
    : undefined;
  const { scheduled_for, duration_minutes } = gone ?? plan;
  return {
    uid,
    kind: 'plan',
    title,
    ...(scheduled_for && { scheduled_for }),
    ...(duration_minutes && { duration_minutes }),
    ...(task_id && { task_id }),
  };
};

const isSame = (asked: string, own: string): boolean =>
  own === asked || (asked.length >= 4 && own.startsWith(asked)) || (own.length >= 4 && asked.startsWith(own));

/**
 * How well the asked words name a target: all of them must be found. In the title they count more than in its place and
 * description, and misspelt ones less; titles with fewer other words rank higher.
 */
const scoreOf = (asked: readonly string[], { title, about = '' }: Target): number => {
  const own = wordsOf(title);
  const core = asked.filter((word) => !GENERIC.has(word));
  const needed = core.length > 0 ? core : asked;
  if (needed.length === 0) return 0;
  const missing = needed.filter((word) => !own.some((mine) => isSame(word, mine)));
  if (missing.length > 0) {
    const wider = wordsOf(about);
    if (missing.every((word) => wider.some((mine) => isSame(word, mine)))) return 0.5;
    return missing.every((word) => word.length >= 5 && own.some((mine) => isNear(word, mine))) ? 0.3 : 0;
  }
  const generic = asked.filter((word) => GENERIC.has(word) && own.includes(word)).length;
  return 1 + generic + (own.filter((word) => !EMPTY.has(word)).length === needed.length ? 0.5 : 0);
};

/** Whether the target's time agrees with what was said of it ('the 3pm call', 'Friday's standup'). */
const atSaidTime = (facets: readonly Facet[], context: IntentContext): ((target: Target) => boolean) => {
  if (facets.length === 0) return () => true;
  const { now, zone } = context;
  const g = gather(facets);
  const placed = place(g, { now, zone });
  const clocks = g.clocks ?? (g.hours?.from && g.hours.exact ? [g.hours.from] : []);
  return ({ scheduled_for }) => {
    if (!scheduled_for) return false;
    const local = zoned(scheduled_for, zone);
    const day = local.toPlainDate().toString();
    if (g.from && !g.until && facets.every(({ kind }) => kind === 'edge')) return day >= g.from.toString();
    const days = g.days ?? (g.edgeDay ? [g.edgeDay] : null);
    const clockFits =
      clocks.length === 0 ||
      clocks.some(
        ({ hour, minute, fixed }) =>
          minute === local.minute && (fixed ? hour === local.hour : hour % 12 === local.hour % 12),
      );
    if (
      g.period &&
      (compareDays(Temporal.PlainDate.from(day), g.period.from) < 0 ||
        compareDays(Temporal.PlainDate.from(day), g.period.to) >= 0)
    )
      return false;
    if (g.period && clocks.length === 0 && !g.part && !g.hours && !days) return true;
    if (clocks.length > 0 && !g.period) return clockFits && (!days || days.some(({ date }) => date.toString() === day));
    if (days && !g.part && !g.hours) return days.some(({ date }) => date.toString() === day);
    const inside = placed.slots.some(
      ({ between }) =>
        between && millis(scheduled_for) >= millis(between.start) && millis(scheduled_for) < millis(between.end),
    );
    return inside && (!g.part || (local.hour >= g.part.from && local.hour < g.part.to));
  };
};

/** Of a series one occurrence, the soonest; where several days are named, that of each. */
const soonestOfEach = (targets: readonly Target[], { phrase, facets }: Wanted, { zone }: IntentContext): Target[] => {
  const several =
    ALL.test(phrase) ||
    facets.some(
      (facet) => facet.kind === 'period' || facet.kind === 'every' || (facet.kind === 'days' && facet.days.length > 1),
    );
  const keyOf = ({ uid, scheduled_for }: Target): string =>
    several && scheduled_for ? `${uid} ${localDate(scheduled_for, zone)}` : uid;
  const bySoonest = targets.toSorted((a, b) => (a.scheduled_for ?? '9').localeCompare(b.scheduled_for ?? '9'));
  const seen = new Set<string>();
  return bySoonest.filter((target) => !seen.has(keyOf(target)) && seen.add(keyOf(target)));
};

const choices = (targets: readonly Target[], { zone, now }: IntentContext): string =>
  targets
    .slice(0, 5)
    .map(({ title, scheduled_for }) =>
      scheduled_for ? `“${title}” on ${timeName(scheduled_for, zone, now)}` : `“${title}”`,
    )
    .join(', or ');

/** What is asked for by name: its words, its task, what was said of its time, and whether 'next' or 'all' was said. */
export type Wanted = { phrase: string; facets: readonly Facet[]; task_id?: string | undefined };

const ALL = /^(?:all|every|everything|each|both|any|the rest)\b/i;
const NEXT = /\b(?:next|first|upcoming)\b/i;

/** Words of amount, which name nothing. */
const AMOUNTS = new Set(['all', 'every', 'everything', 'each', 'both', 'any', 'rest', 'first', 'calendar', 'schedule']);

const namesIn = (phrase: string): string[] =>
  wordsOf(phrase.slice(0, 300)).filter((word) => (!EMPTY.has(word) || GENERIC.has(word)) && !AMOUNTS.has(word));

const candidatesFor = (
  { phrase, task_id }: Wanted,
  fits: (target: Target) => boolean,
  targets: readonly Target[],
): Target[] => {
  // No title is longer; a prompt may be
  const asked = namesIn(phrase);
  const ofTask = task_id ? targets.filter((target) => target.task_id === task_id) : targets;
  const words = asked.filter((word) => !(task_id && wordsOf(task_id).includes(word)));
  if (words.length === 0) return ofTask.filter(fits);
  // The times of only those are compared that have the words, because that is the longer work.
  const scored = ofTask
    .map((target) => ({ target, score: scoreOf(words, target) }))
    .filter(({ target, score }) => score > 0 && fits(target));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const found = scored.filter(({ score }) => score === best).map(({ target }) => target);
  const onlyGeneric = words.every((word) => GENERIC.has(word));
  return found.length === 0 && onlyGeneric ? ofTask.filter(fits) : found;
};

/** The one target meant, several where 'all' was said, or a question. */
export const findTargets = (wanted: Wanted, context: IntentContext, targets: readonly Target[]): Match => {
  const { phrase, facets, task_id } = wanted;
  // Where nothing says which, all would be changed.
  if (ALL.test(phrase) && !task_id && namesIn(phrase).length === 0 && facets.every(({ kind }) => kind === 'edge'))
    return { ask: 'Which event do you mean, or all of which day?' };
  const found = soonestOfEach(candidatesFor(wanted, atSaidTime(facets, context), targets), wanted, context);
  const named = cut(phrase.trim(), 80) || (task_id ? `#${task_id}` : 'that');
  if (found.length === 0)
    return { ask: `I found no event or proposal for “${named}”. Which one do you mean?`, missing: true };
  if (ALL.test(phrase) || (found.length > 1 && new Set(found.map(({ uid }) => uid)).size === 1))
    return { targets: found.slice(0, 60) };
  if (found.length === 1 || (NEXT.test(phrase) && new Set(found.map(({ title }) => title)).size === 1))
    return { targets: [found[0]!] };
  return { ask: `Several match “${named}”: ${choices(found, context)}. Which one do you mean?`, among: found };
};

/** Several targets joined by 'and' ('the dentist and the call'), where the whole is not one title. */
export const findEach = (wanted: Wanted, context: IntentContext, targets: readonly Target[]): Match => {
  const whole = findTargets(wanted, context, targets);
  const parts = wanted.phrase
    .split(/,\s*(?:and\s+)?|(?<!\s)\s+(?:and|&|\+|\/|plus)\s+/)
    .filter((part) => part.trim() !== '');
  if ('targets' in whole || !whole.missing || parts.length < 2 || parts.length > 10) return whole;
  const found: Target[] = [];
  for (const phrase of parts) {
    const match = findTargets({ ...wanted, phrase }, context, targets);
    if ('ask' in match) return match;
    found.push(...match.targets);
  }
  return { targets: found };
};
