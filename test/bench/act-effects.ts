/** Compares actions with the wanted effects of a file (../shared/planner-trial/effects.md has their notation). */
import { readFileSync } from 'node:fs';
import type { Action, Creation, Target } from '../../src/domain/planner/act/actions.ts';
import type { Known, KnownEvent } from '../../src/domain/planner/act/known.ts';
import type { Hours } from '../../src/domain/planner/time/settle.ts';
import { turn } from '../../src/domain/planner/dialogue/turn.ts';
import { actedOn } from '../../src/domain/planner/intents/acted.ts';
import { annotated, written } from '../support/annotated.ts';
import {
  type Between,
  CALENDAR,
  type Effect,
  isDate,
  isEffect,
  isEvent,
  isLength,
  isRight,
  isText,
  isTime,
  kindOf,
  NOW,
  type Window,
} from '../support/effects.ts';

const WEEKS = 30;

export const KNOWN: Known = {
  now: NOW,
  zone: 'Europe/Berlin',
  workHours: { from: 540, to: 1050 },
  events: CALENDAR.flatMap(([title, first, minutes, weekly]): KnownEvent[] => {
    const start = Temporal.PlainDateTime.from(first);
    if (!weekly) return [{ uid: title, title, start, minutes }];
    return Array.from({ length: WEEKS }, (_, i) => {
      const own = start.add({ days: 7 * i });
      return { uid: title, recurrence_id: own.toString(), title, start: own, minutes };
    });
  }),
  pending: [],
};

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const eventOf = ({ uid, recurrence_id }: Target): KnownEvent =>
  KNOWN.events.find((one) => one.uid === uid && one.recurrence_id === recurrence_id)!;

const windowOf = ({ after, before }: Hours): Window => ({
  ...(after !== undefined && { after: clock(after) }),
  ...(before !== undefined && { before: clock(before) }),
});
const dateOf = (date: Creation['date']): string | Between =>
  'from' in date ? { from: date.from.toString(), to: date.to.toString() } : date.toString();
const atOf = (at: Creation['at']): string | Window | undefined =>
  at === null ? undefined : typeof at === 'number' ? clock(at) : windowOf(at);

/** The notation has stretches without holes, so the longest one without days that are left out is compared. */
const longestRun = ({ date, avoid = [], times }: Creation): Creation['date'] => {
  if (!('from' in date) || avoid.length === 0 || times) return date;
  const isFree = (day: Temporal.PlainDate): boolean => !avoid.some((one) => one.equals(day));
  type Run = { from: Temporal.PlainDate; to: Temporal.PlainDate };
  let best: Run | null = null;
  let run = null as Run | null;
  for (let day = date.from; Temporal.PlainDate.compare(day, date.to) <= 0; day = day.add({ days: 1 })) {
    run = isFree(day) ? { from: run?.from ?? day, to: day } : null;
    if (run && (!best || run.from.until(run.to).days > best.from.until(best.to).days)) best = run;
  }
  return best ?? date;
};

const creationOf = (creation: Creation): Effect => {
  const { series, avoid, times, place, notes, minutes, days } = creation;
  const at = atOf(creation.at);
  const except = (series?.except ?? avoid)?.map(String);
  const count = series?.times ?? times;
  return {
    do: creation.do,
    title: creation.title,
    date: dateOf(longestRun(creation)),
    ...(at !== undefined && { at }),
    ...(minutes !== undefined && { minutes }),
    ...(days !== undefined && { days }),
    ...(series && { repeat: series.rule }),
    ...(series?.until && { until: series.until.toString() }),
    ...(count !== undefined && { times: count }),
    ...(except && { except }),
    ...(place && { place }),
    ...(notes && { notes }),
  };
};

export const effectOf = (action: Action): Effect => {
  switch (action.do) {
    case 'create':
    case 'remind':
    case 'find':
      return creationOf(action);
    case 'move': {
      const at = atOf(action.at);
      const { minutes, series } = action;
      return {
        do: 'move',
        event: eventOf(action.target).title,
        date: dateOf(action.date),
        ...(at !== undefined && { at }),
        ...(minutes !== undefined && { minutes }),
        ...(series && { repeat: series.rule }),
      };
    }
    case 'cancel': {
      const { title, start } = eventOf(action.target);
      const day = start.toPlainDate().toString();
      return { do: 'cancel', event: title, date: action.isFollowing ? { from: day } : day };
    }
    case 'resize': {
      const { title, start } = eventOf(action.target);
      const until = clock(start.hour * 60 + start.minute + action.minutes);
      return { do: 'resize', event: title, date: start.toPlainDate().toString(), minutes: action.minutes, until };
    }
    case 'change': {
      const { target, spans: _, ...change } = action;
      const { title, start } = eventOf(target);
      return { ...change, event: title, date: start.toPlainDate().toString() };
    }
    case 'note':
    case 'setting':
    case 'answer':
    case 'reflect':
      return { do: action.do, text: action.text };
    default:
      return { do: action.do };
  }
};

/** What is wrong with a request, by the first wanted effect that nothing fits: its act and the first part that differs. */
const causeOf = (got: readonly Effect[], want: readonly (readonly Effect[])[]): string => {
  const wanted = want[0] ?? [];
  const one = wanted.find((effect) => !got.some((own) => isEffect(own, effect)));
  if (!one) return `${wanted[0]?.do ?? ''}: more than wanted`;
  const own = got.find(
    (effect) => kindOf(effect) === kindOf(one) && isEvent(effect.event, one.event) && isText(effect, one),
  );
  if (!own) return `${one.do}: ${got.map((effect) => effect.do).join()} instead`;
  if (!isDate(own.date, one.date)) return `${one.do}: day`;
  if (one.days !== undefined && own.days !== one.days) return `${one.do}: whole days`;
  if (!isTime(own.at, one.at)) return `${one.do}: time`;
  return `${one.do}: ${isLength(own, one) ? 'repetition' : 'length'}`;
};

const isUnclear = (got: readonly Effect[]): boolean =>
  got.every(({ do: kind }) => kind === 'ask' || kind === 'nothing');
const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;

/** Which readings are shown as sure. */
const SURE = 0.5;

export const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim());

/** Judges what is done with the true roles of requests, or with those that are read. */
export const judgeFiles = (
  files: readonly string[],
  { isVerbose, isRead }: { isVerbose: boolean; isRead: boolean },
): void => {
  for (const file of files) {
    const lines = linesOf(file);
    let [right, unclear, sureAndWrong] = [0, 0, 0];
    const causes = new Map<string, number>();
    for (const line of lines) {
      const { text, want } = JSON.parse(line) as { text: string; want: Effect[][] };
      const given = annotated(text);
      const { request, steps, probability } = isRead
        ? actedOn(given.text, [], KNOWN)
        : { request: given, steps: turn(given, [], KNOWN), probability: 1 };
      const got = steps.flatMap(({ actions }) => actions).map(effectOf);
      if (isRight(got, want)) {
        right += 1;
        continue;
      }
      if (isUnclear(got)) unclear += 1;
      else if (probability >= SURE) sureAndWrong += 1;
      const cause = causeOf(got, want);
      causes.set(cause, (causes.get(cause) ?? 0) + 1);
      if (isVerbose)
        console.log(
          `${text}\n   ${probability.toFixed(2)} ${written(request)}\n   got  ${JSON.stringify(got)}\n   want ${JSON.stringify(want)}`,
        );
    }
    const of = lines.length;
    console.log(
      `${file}: ${right} of ${of} right (${percent(right, of)}), unclear ${percent(unclear, of)}, shown as sure and wrong ${percent(sureAndWrong, of)}`,
    );
    const counted = [...causes].sort((a, b) => b[1] - a[1]).map(([cause, n]) => `${n} × ${cause}`);
    if (counted.length > 0) console.log(`  wrong: ${counted.join('; ')}`);
  }
};
