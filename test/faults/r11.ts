/**
 * R11: when things happen, against an independent reference (r11-reference.py: python-dateutil on the wall clock and
 * zoneinfo; beside it python3-icalendar with recurring_ical_events): generated rules over odd zones and days, wall times at
 * every change of the clocks, and a service process from request to .ics. Run under several TZ, which must not matter.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { NEVER_OCCURS } from '../../src/domain/calendar/rrule.ts';
import { aPerson, get, ok, post, walk, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { casesOf, ZONES, type Case } from './r11-cases.ts';
import type { Answer } from './r11-expand.ts';
import { ask, requirePython, type About, type Expected } from './r11-python.ts';
import { compareZones } from './r11-wall-time.ts';
import { servers, type Server } from './server.ts';
import { check, SEED, type Check, type Choices, type Outcome, type Trial } from './trial.ts';

const EXPAND = join(import.meta.dirname, 'r11-expand.ts');
/** Zones of the process: none, behind and ahead of UTC, odd minutes, a leap of a day, summer time in winter. */
const PROCESS_ZONES = [
  'UTC',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Antarctica/Troll',
];
const DAY_MS = 86_400_000;
const TWO_YEARS_MS = 730 * DAY_MS;

const expandUnder = async (TZ: string, lines: string): Promise<string> => {
  const child = spawn(process.execPath, [EXPAND], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TZ } });
  child.stdin.end(lines);
  return text(child.stdout);
};

const digestOf = (answers: string): string => createHash('sha256').update(answers).digest('hex');

/** The answers, and where those of other process zones are others. */
const expandAll = async (cases: Case[], say: (line: string) => void): Promise<{ answers: Answer[]; check: Check }> => {
  const lines = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const [first = '', ...others] = PROCESS_ZONES;
  const said = await expandUnder(first, lines);
  const wrong: string[] = [];
  for (const TZ of others) {
    if (digestOf(await expandUnder(TZ, lines)) !== digestOf(said)) wrong.push(`TZ=${TZ} gives other answers`);
    say(`${cases.length} rules expanded under TZ=${TZ}`);
  }
  const answers = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
  return { answers, check: check('process zones, all answers the same', PROCESS_ZONES.length, { wrong }) };
};

const told = (one: Case): string =>
  `${one.rrule} from ${one.start} in ${one.zone}${one.all_day ? ', all day' : ''}, RDATE ${one.rdates.join()}, EXDATE ${one.exdates.join()}`;

const apart = (ours: readonly string[], theirs: readonly string[]): string => {
  const without = (a: readonly string[], b: readonly string[]) => a.filter((at) => !b.includes(at));
  const some = (list: string[]) => `${list.length} (${list.slice(0, 3).join(', ')})`;
  return `only ours ${some(without(ours, theirs))}, only the reference’s ${some(without(theirs, ours))}`;
};

const counted = (counts: Map<string, number>): string =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

type Compared = { checks: Check[]; facts: string[]; clean: { one: Case; starts: string[] }[] };

/** Every case is in exactly one of: compared, refused and compared with nothing happening, refused for its size, given up. */
const compare = (cases: Case[], answers: Answer[], expected: Expected[]): Compared => {
  const classes = new Map<string, number>();
  const count = (name: string): void => void classes.set(name, (classes.get(name) ?? 0) + 1);
  const [rules, never, second]: string[][] = [[], [], []];
  const tried = { rules: 0, never: 0, second: 0 };
  const clean: Compared['clean'] = [];
  for (const [i, one] of cases.entries()) {
    const [answer, reference] = [answers[i] as Answer, expected[i] as Expected];
    if (reference.starts === null) {
      count(`not compared: the reference gave up${'refused' in answer ? ' on a rule that is refused here' : ''}`);
      continue;
    }
    if ('refused' in answer) {
      if (answer.refused !== NEVER_OCCURS) {
        count(`not compared: refused, “${answer.refused.replace(/\d+/g, 'N')}”`);
        continue;
      }
      tried.never += 1;
      // DTSTART and RDATE happen by themselves
      const most = 1 + one.rdates.length;
      if (reference.starts.length > most) never?.push(`${told(one)} happens ${reference.starts.length} times`);
      continue;
    }
    tried.rules += 1;
    for (const name of reference.classes) count(`told otherwise: ${name}`);
    const isSame = JSON.stringify(answer.starts) === JSON.stringify(reference.starts);
    if (!isSame) rules?.push(`${told(one)}: ${apart(answer.starts, reference.starts)}`);
    if ('unasked' in reference.second) count(`second not asked: ${reference.second.unasked}`);
    else {
      tried.second += 1;
      for (const name of reference.second.known) count(`second differs as known: ${name}`);
      const { differs, known } = reference.second;
      if (differs.length) second?.push(`${told(one)}: ${differs.slice(0, 3).join(', ')}`);
      else if (known.length === 0 && isSame) clean.push({ one, starts: answer.starts });
    }
  }
  return {
    checks: [
      check('rules, against python-dateutil and zoneinfo', tried.rules, { wrong: rules ?? [] }),
      check('rules refused as never occurring', tried.never, { wrong: never ?? [] }),
      check('rules, against recurring_ical_events', tried.second, { wrong: second ?? [] }),
    ],
    facts: [`Classes, each argued in r11-reference.py: ${counted(classes)}.`],
    clean,
  };
};

/** The event as a client would send it; its tag finds its occurrences again. */
const bodyOf = (one: Case) => {
  const at = (wall: string) => (one.all_day ? wall.slice(0, 10) : wall);
  return {
    uid: `case-${one.id}`,
    title: `Case ${one.id}`,
    tags: [`case-${one.id}`],
    scheduled_for: at(one.start),
    timezone: one.zone,
    all_day: one.all_day,
    duration_minutes: one.duration_minutes,
    rrule: one.rrule,
    rdates: one.rdates.map(at),
    exdates: one.exdates.map(at),
  };
};

/** One event of a file, with the head and the time zones of all. */
const fileOf = (ics: string, uid: string): string => {
  const head = ics.slice(0, ics.indexOf('BEGIN:VEVENT'));
  const events = ics.split('BEGIN:VEVENT').slice(1);
  const mine = events.find((event) => event.includes(`UID:${uid}\r\n`)) ?? '';
  return `${head}BEGIN:VEVENT${mine.split('END:VEVENT')[0]}END:VEVENT\r\nEND:VCALENDAR\r\n`;
};

/** Created over HTTP, listed over HTTP, exported as .ics and read by the second reference. */
const throughService = async (
  { url }: Server,
  { key }: Person,
  cases: Compared['clean'],
): Promise<{ checks: Check[] }> => {
  for (const { one } of cases) await ok(url, key, post('/calendar/create', bodyOf(one)));
  const listed: string[] = [];
  for (const { one, starts } of cases) {
    const end = Math.min(Date.parse(one.to), Date.parse(one.from) + TWO_YEARS_MS);
    const window = `start=${one.from}&end=${new Date(end - 1).toISOString()}`;
    const found = await walk<{ scheduled_for: string }>(
      url,
      key,
      `/calendar/events?${window}&tag=case-${one.id}&limit=1000`,
    );
    const ours = found.map((event) => event.scheduled_for).filter((at) => at >= one.from);
    const theirs = starts.filter((at) => Date.parse(at) < end);
    if (ours.join() !== theirs.join()) listed.push(`${told(one)}: ${apart(ours, theirs)}`);
  }
  const { body: ics } = await ok(url, key, get('/calendar/export.ics'));
  const files = await ask<Record<string, string[]>>(
    cases.map(({ one }) => ({
      do: 'file',
      text: fileOf(ics as string, `case-${one.id}`),
      zone: one.zone,
      from: one.from,
      to: one.to,
    })),
  );
  const exported = cases.flatMap(({ one, starts }, i) => {
    const theirs = files[i]?.[`case-${one.id}`] ?? [];
    return theirs.join() === starts.join() ? [] : [`${told(one)}: ${apart(starts, theirs)}`];
  });
  return {
    checks: [
      check('series created and listed over HTTP', cases.length, { wrong: listed }),
      check('the same, exported as .ics and read by recurring_ical_events', cases.length, { wrong: exported }),
    ],
  };
};

const run = async (
  place: Place,
  quick: boolean,
  say: (line: string) => void,
  { seed = SEED }: Choices = {},
): Promise<Outcome> => {
  requirePython(say);
  const [about] = (await ask<About>([{ do: 'about' }])) as [About];
  const data = { here: process.versions['tz'] ?? 'unknown', there: about.tzdata };
  const all = quick ? ZONES : [...new Set([...ZONES, ...Intl.supportedValuesOf('timeZone')])];
  const zones = await compareZones(all, data.here === data.there);
  say(`wall times of ${all.length} zones compared`);
  const generated = casesOf(quick ? 400 : 10_400, seed);
  const cases = generated.filter((one) => !zones.differing.has(one.zone));
  const { answers, check: processZones } = await expandAll(cases, say);
  const expected = await ask<Expected>(
    cases.map((one) => ({ do: 'expand', case: one })),
    (done) => say(`${done} of ${cases.length} rules by the reference`),
  );
  const compared = compare(cases, answers, expected);
  // The export ends no series where the reference's zones end, and its file must say nothing else.
  const some = compared.clean.filter(({ one }) => one.to < '2037').slice(0, quick ? 40 : 300);
  const [server] = (await servers(1, { ...place.env, TZ: 'Pacific/Apia' })) as [Server];
  const person = await aPerson(server.url, 'Europe/Berlin');
  say(`${some.length} series through a service under TZ=Pacific/Apia`);
  const service = await throughService(server, person, some);
  await server.stop();
  return {
    checks: [...zones.checks, processZones, ...compared.checks, ...service.checks],
    facts: [
      `Python ${about.python}, python-dateutil ${about.dateutil}, icalendar ${about.icalendar}; zone data ${data.there} there, ${data.here} here.`,
      `${generated.length} rules from seed ${seed} in ${ZONES.length} zones; ${generated.length - cases.length} not compared, as their zone’s data differ.`,
      ...zones.facts,
      ...compared.facts,
    ],
  };
};

export const R11: Trial = {
  id: 'R11',
  title: 'when things happen, against an independent reference',
  places: ['embedded'],
  embedded: true,
  run,
};
