/** The corpus of everyday requests (test/corpus/requests.yaml): reads it, runs an entry on an app, and judges what came of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { localStart, wallToInstant } from '../../src/domain/time/time.ts';
import type { IntentContext } from '../../src/domain/planner/intents/types.ts';
import type { PlanArguments } from '../../src/domain/plan/plan-arguments.ts';
import { anApp, aUser, type TestApp, type TestUser } from './app.ts';
import { calendarText, imported, vevent } from './calendar.ts';

const ZONE = 'Europe/Berlin';
const TODAY = Temporal.PlainDate.from('2026-11-23');
export const corpusClock = wallToInstant(TODAY.toPlainDateTime('08:00'), ZONE);
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

type Given = { title: string; at: string; minutes: number; rrule?: string; location?: string; description?: string };
export type Entry = {
  say: string | string[];
  then?: string | string[];
  asks?: string;
  says?: string;
  notes?: string;
  reflects?: string;
  until?: string;
  /** A question back is right too. */
  may_ask?: true;
  /** What is expected where it is not right yet. */
  now?: Verdict;
  kind?: string;
};
export type Verdict = 'right' | 'unclear' | 'wrong';
export type Counts = Record<Verdict, number>;
export type Round = { name: string; before?: Counts; requests: Entry[]; dialogues?: Entry[] };
type Corpus = { given: Given[]; memory: string[]; rounds: Round[] };

export const CORPUS = parse(readFileSync(join(import.meta.dirname, '../corpus/requests.yaml'), 'utf8')) as Corpus;

/** What the requests of a file take for granted: the day, the calendar and the person. */
export type World = {
  today: Temporal.PlainDate;
  /** How many days of the calendar are compared. */
  days: number;
  /** A file of iCalendar. */
  calendar: string;
  memory: readonly string[];
  tempo?: object;
};

/** An occurrence on the calendar, in wall time. */
export type Happening = {
  uid: string;
  recurrence_id: string | null;
  title: string;
  location: string;
  at: Temporal.PlainDateTime;
  minutes: number;
  all_day: boolean;
};
export type Plan = {
  uid: string;
  version: number;
  status: string;
  title: string;
  content: string;
  action_type: string;
  scheduled_for: string | null;
  duration_minutes: number | null;
  rrule: string | null;
  exdates: string[];
  target_event_uid: string | null;
  arguments: PlanArguments;
  decision: { code: string } | null;
};
export type Outcome = {
  status: number;
  reply: string;
  warnings: string[];
  /** Whether a language model read every prompt. */
  isByModel: boolean;
  /** How much the last prompt asked, and how many proposals it made or changed. */
  questions: number;
  made: number;
  proposed: Plan[];
  /** What the last prompt asked for, and the calendar or a limit refused. */
  refused: Plan[];
  /** The occurrences that were left out by the words of prompts, by the uid of the plan. The calendar leaves out others. */
  leftOut: Map<string, string[]>;
  /** The calendar before. */
  given: readonly Happening[];
  isRefused: boolean;
  gone: Happening[];
  come: Happening[];
};

const shown = ({ title, at, minutes }: Happening): string =>
  `${title} | ${DAYS[at.dayOfWeek - 1]} ${at.toString().slice(5, 16).replace('T', ' ')} | ${minutes}`;

export const tellOutcome = ({ status, reply, isRefused, gone, come }: Outcome): string =>
  [
    ...gone.slice(0, 5).map((one) => `- ${shown(one)}`),
    ...come.slice(0, 5).map((one) => `+ ${shown(one)}`),
    ...(come.length > 5 ? [`+ ${come.length - 5} more`] : []),
    ...(isRefused ? ['an approval was refused'] : []),
    `${status === 200 ? '' : `HTTP ${status} `}“${reply.replaceAll('\n', ' / ').slice(0, 200)}”`,
  ].join('\n    ');

/* ---------- what an entry expects ---------- */

const dayOf = (text: string): Temporal.PlainDate => {
  const [day, month] = text.trim().split(' ').slice(-2) as [string, string];
  return Temporal.PlainDate.from({ year: 2026, month: month === 'Nov' ? 11 : 12, day: Number(day) });
};
const weekdays = (text: string): number[] => text.split(',').map((name) => DAYS.indexOf(name) + 1);
const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const daysFrom = (from: Temporal.PlainDate, to: Temporal.PlainDate): Temporal.PlainDate[] =>
  Array.from({ length: from.until(to).days + 1 }, (_, days) => from.add({ days }));

/** One line of `then` asks for `times` events, each on one of the days of its own set, within the hours. */
type Want = {
  title: string;
  days: Temporal.PlainDate[];
  hours: 'all day' | [from: number, to: number] | number;
  minutes: number | null;
  apart: number;
};

const endOf = ({ until }: Entry, { today, days } = { today: TODAY, days: 27 }): Temporal.PlainDate =>
  until ? dayOf(until) : today.add({ days });

const wantsOf = (line: string, entry: Entry): Want[] => {
  const [head, when, length] = line.slice(2).split(' | ') as [string, string, string];
  const [, times, title] = /^(?:(\d)x )?(.*)$/.exec(head) as unknown as [string, string | undefined, string];
  const option = (name: string, pattern: string): string | undefined =>
    new RegExp(`${name} (${pattern})`).exec(when)?.[1];
  const date = '\\d+ [A-Z][a-z]{2}';
  const range = /\d\d:\d\d\.\.\d\d:\d\d/.exec(when)?.[0].split('..');
  const exact = /\d\d:\d\d/.exec(when)?.[0];
  const hours = when.endsWith('all day')
    ? ('all day' as const)
    : range
      ? ([minutesOf(range[0]!), minutesOf(range[1]!)] as [number, number])
      : exact
        ? minutesOf(exact)
        : ([0, 1440] as [number, number]);
  const want = {
    title,
    hours,
    minutes: length === '*' ? null : Number(length),
    apart: Number(option('apart', '\\d') ?? 1),
  };
  const every = option('every', '\\S+');
  if (every) {
    const [from, until] = [option('from', date), option('until', date)];
    const except = option('except', date);
    const on = every === 'day' ? [1, 2, 3, 4, 5, 6, 7] : weekdays(every);
    return daysFrom(from ? dayOf(from) : TODAY, until ? dayOf(until) : endOf(entry))
      .filter((day) => on.includes(day.dayOfWeek) && !(except && dayOf(except).equals(day)))
      .map((day) => ({ ...want, days: [day] }));
  }
  const [first, last] = [...when.matchAll(new RegExp(date, 'g'))].map(([found]) => dayOf(found));
  const not = weekdays(option('not', '\\S+') ?? '');
  const days = daysFrom(first!, last ?? first!).filter(({ dayOfWeek }) => !not.includes(dayOfWeek));
  return Array.from({ length: Number(times ?? 1) }, () => ({ ...want, days }));
};

const SMALL = new Set('a an the do my our your with for to on at of in go about and slot time block some'.split(' '));
const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}:]+/gu) ?? [];

/**
 * A title says what was meant: all of its words, of which the place may say some, and beside them small ones only, or where it begins
 * with `~` any.
 */
const sameTitle = (wanted: string, got: string, place: string): boolean => {
  const [asked, own, there] = [words(wanted), words(got), words(place)];
  const isEvery = asked.every((word) => own.includes(word) || there.includes(word));
  return isEvery && (wanted.startsWith('~') || own.every((word) => asked.includes(word) || SMALL.has(word)));
};

const fits = (want: Want, { title, location, at, minutes, all_day }: Happening): boolean => {
  const start = at.hour * 60 + at.minute;
  const inHours =
    want.hours === 'all day'
      ? all_day
      : typeof want.hours === 'number'
        ? start === want.hours
        : start >= want.hours[0] && start + minutes <= want.hours[1];
  return (
    sameTitle(want.title, title, location) &&
    want.days.some((day) => day.equals(at.toPlainDate())) &&
    inHours &&
    (want.minutes === null || want.minutes === minutes)
  );
};

/** The happenings that no want accounts for, and the wants that none meets. */
const compare = (wants: Want[], happened: Happening[]): { extra: Happening[]; missing: Want[] } => {
  const extra = [...happened];
  const met: { want: Want; day: Temporal.PlainDate }[] = [];
  const missing = wants.filter((want) => {
    const found = extra.findIndex(
      (one) =>
        fits(want, one) &&
        met.every(
          ({ want: other, day }) =>
            other.days !== want.days || Math.abs(day.until(one.at.toPlainDate()).days) >= want.apart,
        ),
    );
    if (found < 0) return true;
    met.push({ want, day: extra[found]!.at.toPlainDate() });
    extra.splice(found, 1);
    return false;
  });
  return { extra, missing };
};

const matches = (pattern: string, text: string): boolean => new RegExp(pattern.replace(/^\(\?i\)/, ''), 'i').test(text);

const RANK: readonly Verdict[] = ['right', 'unclear', 'wrong'];
/** Whether a verdict is worse than the entry expects. */
export const isWorse = ({ now = 'right' }: Entry, verdict: Verdict): boolean =>
  RANK.indexOf(verdict) > RANK.indexOf(now);

/** Right, unclear (nothing or less was done, and the reply says so) or wrong. */
export const judge = (entry: Entry, outcome: Outcome): Verdict => {
  const { reply, proposed, isRefused, gone, come } = outcome;
  const spoken = entry.asks ?? entry.says;
  // Rules for all plans were written when the planner answered them only.
  const isRule = entry.asks !== undefined && proposed.every(({ action_type }) => action_type === 'configure');
  if (spoken !== undefined && isRule) return matches(spoken, reply) ? 'right' : 'unclear';
  if (spoken !== undefined) return proposed.length > 0 ? 'wrong' : matches(spoken, reply) ? 'right' : 'unclear';
  const lines = [entry.then ?? []].flat();
  const mayAsk = entry.may_ask === true && /\?/.test(reply);
  if (proposed.length === 0) return mayAsk || (entry.then && lines.length === 0) ? 'right' : 'unclear';
  const [plan] = proposed as [Plan];
  const only = (type: string): boolean => proposed.length === 1 && plan.action_type === type;
  if (entry.notes !== undefined) return only('log') && matches(entry.notes, plan.content) ? 'right' : 'wrong';
  if (entry.reflects !== undefined) {
    const at = plan.scheduled_for && localStart(plan.scheduled_for, ZONE).slice(5, 16).replace('T', ' ');
    const time = /\d\d:\d\d$/.exec(entry.reflects)?.[0];
    const day = dayOf(entry.reflects.replace(/ \d\d:\d\d$/, ''));
    return only('reflect') && at === `${day.toString().slice(5)} ${time}` ? 'right' : 'wrong';
  }
  if (proposed.some(({ action_type }) => action_type === 'log' || action_type === 'reflect')) return 'wrong';
  const side = (sign: string): Want[] =>
    lines.filter((line) => line.startsWith(sign)).flatMap((line) => wantsOf(line, entry));
  const [minus, plus] = [compare(side('-'), gone), compare(side('+'), come)];
  if (minus.extra.length + plus.extra.length > 0) return isRefused && come.length === 0 ? 'unclear' : 'wrong';
  if (minus.missing.length + plus.missing.length === 0) return 'right';
  return mayAsk ? 'right' : isRefused || /\?|not possible/.test(reply) ? 'unclear' : 'wrong';
};

/* ---------- running ---------- */

const GIVEN = calendarText(
  ...CORPUS.given.map(({ title, at, minutes, rrule, location, description }, i) =>
    vevent(
      `UID:given-${i}`,
      `DTSTART;TZID=${ZONE}:${at.replaceAll(/[-:]/g, '')}00`,
      `DURATION:PT${minutes}M`,
      `SUMMARY:${title}`,
      ...(rrule ? [`RRULE:${rrule}`] : []),
      ...(location ? [`LOCATION:${location.replaceAll(',', '\\,')}`] : []),
      ...(description ? [`DESCRIPTION:${description}`] : []),
    ),
  ),
);

export const corpusApp = async (): Promise<TestApp> => {
  const app = await anApp();
  app.clock.set(corpusClock);
  return app;
};

const happeningsOf = async (user: TestUser, { today }: World, until: Temporal.PlainDate): Promise<Happening[]> => {
  const { body } = await user
    .get(`/calendar/events?start=${today.toString()}&end=${until.toString()}&limit=1000`)
    .expect(200);
  return (
    body as {
      uid: string;
      recurrence_id: string | null;
      title: string;
      location: string | null;
      scheduled_for: string;
      duration_minutes: number;
      all_day: boolean;
    }[]
  ).map((event) => ({
    uid: event.uid,
    recurrence_id: event.recurrence_id,
    title: event.title,
    location: event.location ?? '',
    at: Temporal.PlainDateTime.from(localStart(event.scheduled_for, ZONE).slice(0, 16)),
    minutes: event.duration_minutes,
    all_day: event.all_day,
  }));
};

const without = (all: Happening[], others: Happening[]): Happening[] => {
  const known = new Set(others.map(shown));
  return all.filter((one) => !known.has(shown(one)));
};

const givens = new Map<string, Happening[]>();
/** The given calendar, which is the same for everybody. */
const givenUntil = async (user: TestUser, world: World, until: Temporal.PlainDate): Promise<Happening[]> => {
  const key = `${world.today.toString()} ${until.toString()}`;
  const known = givens.get(key) ?? (await happeningsOf(user, world, until));
  givens.set(key, known);
  return known;
};

/** The calendar and the clock as the planner of a person in the corpus has them, for trials without a service. */
export const corpusContext = (): IntentContext => {
  const occurrence = ({ title, minutes, location, description }: Given, i: number, at: Temporal.PlainDateTime) => ({
    ...{ uid: `given-${i}`, title, scheduled_for: wallToInstant(at, ZONE), duration_minutes: minutes },
    ...{ location: location ?? null, description: description ?? null },
  });
  const until = TODAY.add({ days: 60 });
  const events = CORPUS.given.flatMap((one, i) => {
    const first = Temporal.PlainDateTime.from(one.at);
    if (!one.rrule) return [occurrence(one, i, first)];
    const step = one.rrule.includes('BYDAY=MO,TU') ? 1 : 7;
    return Array.from({ length: 70 }, (_, n) => first.add({ days: n * step }))
      .filter((at) => (step === 7 || at.dayOfWeek < 6) && Temporal.PlainDate.compare(at, until) < 0)
      .filter((at) => Temporal.PlainDate.compare(at, TODAY.subtract({ days: 1 })) >= 0)
      .map((at) => ({ ...occurrence(one, i, at), recurrence_id: wallToInstant(at, ZONE) }));
  });
  return {
    now: corpusClock,
    zone: ZONE,
    events: events.toSorted((a, b) => a.scheduled_for.localeCompare(b.scheduled_for)),
    pending: [],
  };
};

const IN_CORPUS: World = { today: TODAY, days: 27, calendar: GIVEN, memory: CORPUS.memory };

type Answer = Omit<Outcome, 'proposed' | 'given' | 'isRefused' | 'gone' | 'come'>;

/** A person with the given calendar says it, and approves whatever is proposed. */
export const run = async (app: TestApp, entry: Entry, world = IN_CORPUS): Promise<Outcome> => {
  const user = await aUser(app, { timezone: ZONE });
  await imported(app, user, world.calendar).expect(200);
  if (world.tempo) await user.post('/tempo/adjust', { preferences: world.tempo }).expect(200);
  const traces = world.memory.map((content) => ({ type: 'observation', content }));
  if (traces.length > 0) await user.post('/memory/push', { traces }).expect(201);
  const until = endOf(entry, world);
  const before = await givenUntil(user, world, until);
  let answer: Answer = {
    status: 0,
    reply: '',
    warnings: [],
    isByModel: true,
    questions: 0,
    made: 0,
    refused: [],
    leftOut: new Map(),
  };
  for (const prompt of [entry.say].flat()) {
    const { status, body } = await user.post('/chat/respond', { prompt });
    const { reply = body.detail, warnings = [], questions = [], plans = [], commands = [], planner } = body;
    (plans as Plan[]).forEach(({ uid }, i) => {
      const { exdates = [] } = (commands as { exdates?: string[] }[])[i] ?? {};
      answer.leftOut.set(uid, [...(answer.leftOut.get(uid) ?? []), ...exdates]);
    });
    const refused = (plans as Plan[]).filter((one) => one.status === 'rejected' && one.decision?.code !== 'withdrawn');
    answer = {
      ...{ status, reply, warnings: [...answer.warnings, ...warnings] },
      isByModel: answer.isByModel && planner?.mode === 'model',
      ...{ questions: questions.length, made: plans.length, refused, leftOut: answer.leftOut },
    };
  }
  const proposed = (await user.get('/agent/queue?limit=1000').expect(200)).body as Plan[];
  const approve = async ({ uid, version }: Plan): Promise<number> =>
    (await user.post('/agent/approve', { uid, expected_version: version })).status;
  const answers = new Map<Plan, number>();
  for (const plan of proposed) answers.set(plan, await approve(plan));
  // What takes the time that another one frees is approved after it
  for (const [plan, status] of answers) if (status === 409) answers.set(plan, await approve(plan));
  const after = await happeningsOf(user, world, until);
  return {
    ...answer,
    proposed,
    given: before,
    isRefused: [...answers.values()].some((code) => code !== 200),
    gone: without(before, after),
    come: without(after, before),
  };
};
