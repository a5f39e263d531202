/** S14, the console: what the start page loads, when it is usable, how a drag among 500 events runs, and commit to paint. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launch } from '../support/console-page.ts';
import { ok, post } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import { percentiles, type Bench, type Measured } from './bench.ts';

const MOST_SCRIPT_KB = 60;
const USABLE_MS = 1_500;
const PAINT_MS = 150;
const FULL_WEEK = 5_000;
const FULL_WEEK_MS = 1_000;
const FRAME_MS = 34;
const SLOWER = 4;

const PASSWORD = 'correct horse battery';
const DAY_MS = 86_400_000;
/** A week that begins in two Mondays, so that nothing in it has passed. */
const monday = ((): string => {
  const date = new Date();
  date.setUTCDate(date.getUTCDate() + 14 - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
})();
const dayAfter = (days: number): string => new Date(Date.parse(monday) + days * DAY_MS).toISOString().slice(0, 10);

type Person = { url: string; token: string; agent: string; context: BrowserContext };

const aVisitor = async (url: string, browser: Browser): Promise<Person> => {
  const email = `${Date.now()}@example.org`;
  const account = { email, password: PASSWORD, timezone: 'Europe/Berlin' };
  const { token } = (await ok(url, '', post('/user/register', account))).body;
  const { key } = (await ok(url, token, post('/user/keys', { kind: 'agent', label: 'bench' }))).body;
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Live').waitFor();
  await page.close();
  return { url, token, agent: key, context };
};

const addEvents = async ({ url, token }: Person, from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n++) {
    const minutes = (n * 25) % (12 * 60);
    const time = `${String(7 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
    const event = { title: `Event ${n}`, scheduled_for: `${dayAfter(n % 7)}T${time}`, duration_minutes: 25 };
    await ok(url, token, post('/calendar/create', event));
  }
};

/** A week of 5,000 events, as one import. They begin in all minutes from 7 to 19 o'clock of each day. */
const fillWeek = async ({ url, token }: Person): Promise<void> => {
  const stamp = (n: number): string => {
    const minutes = 7 * 60 + (Math.floor(n / 7) % 720);
    const time = `${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}00`;
    return `${dayAfter(n % 7).replaceAll('-', '')}T${time}`;
  };
  const events = Array.from({ length: FULL_WEEK }, (_, n) =>
    [
      ...['BEGIN:VEVENT', `UID:full-${n}`, 'DTSTAMP:20260101T000000Z', `DTSTART:${stamp(n)}`],
      ...['DURATION:PT25M', `SUMMARY:Full ${n}`, 'END:VEVENT'],
    ].join('\r\n'),
  );
  const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:bench', ...events, 'END:VCALENDAR', ''].join('\r\n');
  const response = await fetch(`${url}/calendar/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/calendar' },
    body: calendar,
  });
  if (!response.ok) throw new Error(`The import answered ${response.status}: ${await response.text()}`);
};

const addProposals = async ({ url, agent }: Person, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const action = { action_type: 'schedule', title: `Proposal ${n}`, duration_minutes: 30 };
    const actions = [{ ...action, scheduled_for: `${dayAfter(n)}T20:30` }];
    await ok(url, agent, post('/agent/plan', { actions }));
  }
};

/** As texts, because the types of Node know no page. */
const WHEN_USABLE = `(() => {
  const look = () => {
    if (document.querySelector('.block.event') && document.querySelector('.block.ghost')) window.usableAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;
const WHEN_FULL = `(() => {
  const look = () => {
    let drawn = document.querySelectorAll('.block.event').length;
    for (const { textContent } of document.querySelectorAll('.block.crowded')) drawn += parseInt(textContent);
    if (drawn >= ${FULL_WEEK}) window.fullAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;
const SIZES = `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
  .map(({ name, encodedBodySize }) => [name.split('?')[0], encodedBodySize])`;
/** The bytes of the answers with events, as they were sent and decoded. */
const ANSWERS = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/calendar/events'))
  .reduce(([sent, meant], one) => [sent + one.encodedBodySize, meant + one.decodedBodySize], [0, 0])`;
const START_FRAMES = `(() => {
  window.frames_ = []; window.running = true; let last = performance.now();
  const next = (at) => { window.frames_.push(at - last); last = at; if (window.running) requestAnimationFrame(next); };
  requestAnimationFrame(next);
})()`;
const STOP_FRAMES = 'window.running = false, window.frames_.slice(2)';
const WATCH = `(() => {
  window.painted = {};
  const look = () => {
    for (const block of document.querySelectorAll('.block.event')) {
      const name = /Paint \\d+ of/.exec(block.textContent)?.[0];
      if (name) window.painted[name] ??= Date.now();
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

type Probe = typeof globalThis & { usableAt?: number; fullAt?: number; painted?: Record<string, number> };

const openWeek = async ({ url, context }: Person): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(`${url}/console/?view=week&date=${monday}`);
  await page.locator('.block.event').first().waitFor();
  await page.getByText('Live').waitFor();
  return page;
};

type Visit = { usable: number; work: number; script: number; all: number };

/** A visit with an empty cache. */
const firstVisit = async ({ url, context }: Person, slower: number): Promise<Visit> => {
  const page = await context.newPage();
  await page.addInitScript(WHEN_USABLE);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Performance.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.goto(`${url}/console/?view=week&date=${monday}`);
  await page.waitForFunction(() => (globalThis as Probe).usableAt);
  const usable = await page.evaluate<number>('window.usableAt');
  const { metrics } = await session.send('Performance.getMetrics');
  const work = 1000 * (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? NaN);
  const sizes = (await page.evaluate<[string, number][]>(SIZES)).filter(([name]) =>
    /\.js$|\.css$|console\/$/.test(name),
  );
  await page.close();
  const sum = (some: [string, number][]): number => some.reduce((all, [, bytes]) => all + bytes, 0) / 1000;
  return { usable, work, script: sum(sizes.filter(([name]) => name.endsWith('.js'))), all: sum(sizes) };
};

const paints = async (person: Person, count: number): Promise<number[]> => {
  const page = await openWeek(person);
  await page.evaluate(WATCH);
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    // Each at a time of its own: what is beside too many others is not drawn.
    const scheduled_for = `${dayAfter(n % 7)}T${String(Math.floor(n / 7)).padStart(2, '0')}:00`;
    const event = { title: `Paint ${n} of ${count}`, scheduled_for, duration_minutes: 30 };
    const { created_at } = (await ok(person.url, person.token, post('/calendar/create', event))).body;
    await page.waitForFunction((name) => (globalThis as Probe).painted?.[name], `Paint ${n} of`);
    times.push((await page.evaluate<number>(`window.painted['Paint ${n} of']`)) - Date.parse(created_at));
  }
  await page.close();
  return times;
};

const dragFrames = async (person: Person): Promise<number[]> => {
  const page = await openWeek(person);
  await page.getByRole('button', { name: /Event 499/ }).waitFor();
  const ghost = page.locator('.block.ghost').first();
  await ghost.scrollIntoViewIfNeeded();
  const box = (await ghost.boundingBox()) as { x: number; y: number };
  await page.mouse.move(box.x + 20, box.y + 8);
  await page.mouse.down();
  await page.evaluate(START_FRAMES);
  for (let step = 0; step < 120; step++)
    await page.mouse.move(box.x + 20 + ((step * 9) % 900), box.y - ((step * 7) % 420));
  const frames = await page.evaluate<number[]>(STOP_FRAMES);
  await page.mouse.up();
  await page.close();
  return frames;
};

type FullWeek = { took: number; sent: number; meant: number };

/** A reload until the week is drawn with all its events. What is beside too many others is counted by a link. */
const fullWeek = async (person: Person): Promise<FullWeek> => {
  const page = await openWeek(person);
  await page.addInitScript(WHEN_FULL);
  await page.reload();
  await page.waitForFunction(() => (globalThis as Probe).fullAt);
  const took = await page.evaluate<number>('window.fullAt');
  const [sent, meant] = await page.evaluate<[number, number]>(ANSWERS);
  await page.close();
  return { took, sent: sent / 1000, meant: meant / 1000 };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const server = await aServer({ ...place.env, ALLOW_REGISTRATION: 'true' });
  await server.start();
  const browser = await launch();
  try {
    const person = await aVisitor(server.url, browser);
    await addEvents(person, 0, 30);
    await addProposals(person, 5);
    const visits: Visit[] = [];
    const unslowed: Visit[] = [];
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      visits.push(await firstVisit(person, SLOWER));
      unslowed.push(await firstVisit(person, 1));
    }
    say('usable');
    const painted = await paints(person, quick ? 10 : 60);
    say('painted');
    await addEvents(person, 30, 500);
    const frames: number[][] = [];
    for (let round = 0; round < (quick ? 1 : 3); round++) frames.push(await dragFrames(person));
    say('dragged');
    const crowded = await aVisitor(server.url, browser);
    await fillWeek(crowded);
    const full: FullWeek[] = [];
    for (let round = 0; round < (quick ? 3 : 7); round++) full.push(await fullWeek(crowded));
    return {
      figures: [
        { what: 'script of the start page, kB', unit: '', target: MOST_SCRIPT_KB, rounds: visits.map((v) => v.script) },
        { what: 'page, style and script, kB', unit: '', target: null, rounds: visits.map((v) => v.all) },
        { what: 'usable, CPU four times slower', unit: 'ms', target: USABLE_MS, rounds: visits.map((v) => v.usable) },
        { what: 'usable', unit: 'ms', target: null, rounds: unslowed.map((v) => v.usable) },
        {
          what: 'processor time of the page until usable',
          unit: 'ms',
          target: null,
          rounds: unslowed.map((v) => v.work),
        },
        ...percentiles('commit to paint in a second window', [painted], [50, 95], { 95: PAINT_MS }),
        { what: 'a week of 5,000 events drawn', unit: 'ms', target: FULL_WEEK_MS, rounds: full.map((v) => v.took) },
        { what: 'its answers as sent, kB', unit: '', target: null, rounds: full.map((v) => v.sent) },
        { what: 'its answers decoded, kB', unit: '', target: null, rounds: full.map((v) => v.meant) },
        ...percentiles('frame while dragging among 500 events', frames, [50, 95], { 95: FRAME_MS }),
      ],
      facts: [
        'Sizes are compressed. Usable means that an event and a proposal are drawn, with an empty cache and a cookie of an earlier visit.',
        'Commit to paint is counted from the time at which the service recorded the event.',
      ],
    };
  } finally {
    await browser.close();
    await server.stop();
  }
};

export const CONSOLE: Bench = { id: 'CONSOLE', title: 'the console', places: ['embedded'], embedded: true, run };
