/** ICS: a calendar file of 5 MB in and out again: time, memory, and how long others wait for an answer meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, ok, post, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentile, timed, type Bench, type Figure, type Measured } from './bench.ts';
import { forgetPeak, peak, resident } from './memory.ts';
import { readCalendar } from '../support/read-at-once.ts';

const MEGABYTES = 5;

/** As a calendar program writes one: a zone, an organizer, a description, an alarm. */
const eventText = (n: number): string[] => {
  const two = (value: number) => String(value).padStart(2, '0');
  return [
    'BEGIN:VEVENT',
    `UID:event-${n}@bench.example`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART;TZID=Europe/Berlin:2026${two(1 + (n % 12))}${two(1 + (n % 28))}T${two(n % 24)}0000`,
    'DURATION:PT45M',
    `SUMMARY:Event number ${n} with a title`,
    'LOCATION:Room 4\\, left',
    `DESCRIPTION:${'Some words about it. '.repeat(8)}`,
    'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC',
    'ORGANIZER;CN="Müller, Hans":mailto:hans@example.org',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Reminder',
    'TRIGGER:-PT10M',
    'END:VALARM',
    'END:VEVENT',
  ];
};

const fileOf = (bytes: number): Buffer => {
  const count = Math.floor(bytes / (eventText(1_000).join('\r\n').length + 3));
  const events = Array.from({ length: count }, (_, n) => eventText(n)).flat();
  return Buffer.from(
    ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//bench//EN', ...events, 'END:VCALENDAR', ''].join('\r\n'),
  );
};

/** How long GET /health takes while something else goes on. */
const waiting = async (url: string, work: () => Promise<void>): Promise<{ took: number; waits: number[] }> => {
  const waits: number[] = [];
  const going = { on: true };
  const asking = (async () => {
    while (going.on) {
      waits.push(await timed(async () => (await fetch(`${url}/health/live`)).text()));
      await sleep(5);
    }
  })();
  const took = await timed(work);
  going.on = false;
  await asking;
  return { took, waits };
};

const send = async ({ url }: Server, { key }: Person, body: Buffer, counted: string, count: number): Promise<void> => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/calendar' };
  const response = await fetch(`${url}/calendar/import`, { method: 'POST', headers, body });
  const answer = (await response.json()) as Record<string, unknown>;
  if (answer[counted] !== count) throw new Error(`not ${count} ${counted}: ${JSON.stringify(answer).slice(0, 500)}`);
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const file = fileOf((quick ? 1 : MEGABYTES) * 1_000_000);
  const count = readCalendar(file, { zone: 'UTC' }).events.length;
  const taken: Record<string, number[]> = {};
  const note = (what: string, value: number) => (taken[what] ??= []).push(value);
  const [server] = (await servers(1, place.env)) as [Server];
  const pid = server.pid() as number;
  for (let round = 0; round < (quick ? 2 : 5); round += 1) {
    const person = await aPerson(server.url);
    const { key } = (await ok(server.url, person.key, post('/user/keys', { kind: 'feed', label: 'bench' }))).body;
    const idle = resident(pid);
    const steps: [what: string, work: () => Promise<void>][] = [
      ['import', () => send(server, person, file, 'created', count)],
      ['the same file again', () => send(server, person, file, 'unchanged', count)],
      ['feed', async () => void (await (await fetch(`${server.url}/calendar/feed.ics?key=${key}`)).text())],
    ];
    note('the reader alone', await timed(() => readCalendar(file, { zone: 'UTC' })));
    for (const [what, work] of steps) {
      forgetPeak(pid);
      const { took, waits } = await waiting(server.url, work);
      note(what, took);
      note(`${what}: longest answer of another request meanwhile`, percentile(waits, 1));
      note(`${what}: memory above idle`, peak(pid) - idle);
    }
    say(`round ${round + 1}`);
  }
  await server.stop();
  const figures = Object.entries(taken).map(([what, rounds]): Figure => ({
    what,
    unit: what.includes('memory') ? 'MiB' : 'ms',
    target: null,
    rounds,
  }));
  return { figures, facts: [`${count} events in ${(file.length / 1e6).toFixed(1)} MB, each with an alarm.`] };
};

export const ICS: Bench = {
  id: 'ICS',
  title: 'a calendar file of 5 MB in and out',
  places: ['postgres'],
  embedded: true,
  run,
};
