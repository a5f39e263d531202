/**
 * R6: the database goes away and comes back under load, in four ways. Meanwhile every answer is a 503 with Retry-After, soon;
 * afterwards everything works again within seconds, and what was acknowledged is there once.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, audit, call, changesAfter, get, ok, post, type Answer, type Person, type Sent } from './api.ts';
import { millisIn, weekAhead } from '../support/today.ts';
import type { Place } from './cluster.ts';
import { follow, print, type Follower } from './followers.ts';
import { OUTAGES, ownPostgres, type Outage, type OwnPostgres } from './own-postgres.ts';
import { compare, look } from './r1.ts';
import { servers, type Server } from './server.ts';
import { between, check, exactlyOnce, merge, oneOf, type Check, type Outcome, type Trial } from './trial.ts';
import { aWriter, quiet, type Writer } from './writers.ts';

const PEOPLE = 2;
const WRITERS_EACH = 2;
const PROBES = 4;
/** A request that is refused may not take longer, nor may the way back. */
const SOON_MS = 5_000;
/** What the services need after the database, before they count as not having come back at all. */
const PATIENCE_MS = 60_000;

type Looked = { at: number; ms: number; sent: Sent; answer: Answer | null };

/** A client that asks for this and that all the time and notes when it was answered what. */
const probe = async (url: string, { key }: Person, stopped: () => boolean, seen: Looked[]): Promise<void> => {
  while (!stopped()) {
    const sent = oneOf<() => Sent>([
      () => get('/memory/pull?limit=1'),
      () => get('/agent/status'),
      () => get('/agent/changes?after=0&limit=1&wait=1'),
      () => get(`/calendar/slots?start=${weekAhead(0)}&end=${weekAhead(4)}&duration_minutes=30`),
      () => post('/memory/search', { query: 'anything' }),
      () => post('/memory/push', { traces: [{ type: 'observation', content: `probe ${randomUUID()}` }] }),
      () => post('/user/login', { email: 'nobody@example.org', password: 'not the password' }),
    ])();
    const began = performance.now();
    const answer = await call(url, key, sent).catch(() => null);
    seen.push({ at: began, ms: performance.now() - began, sent, answer });
    await sleep(between(5, 40));
  }
};

const told = ({ sent, ms, answer }: Looked): string =>
  `${sent.method} ${sent.path} after ${ms.toFixed(0)} ms: ${answer ? `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}` : 'no answer'}`;

/** Every answer is one that the request has in good times, or the refusal of bad ones, with its header. */
const isFine = ({ answer }: Looked): boolean => {
  if (!answer) return false;
  if (answer.status !== 503) return answer.status < 500;
  return answer.body.code === 'database_unavailable' && Number(answer.headers.get('retry-after')) > 0;
};

/** Milliseconds until the work succeeds, from `since`. */
const until = async (since: number, work: () => Promise<boolean>): Promise<number> => {
  while (!(await work().catch(() => false)) && performance.now() - since < PATIENCE_MS) await sleep(20);
  return performance.now() - since;
};

/** Plans that fall due one after the other, before the outage, in it and after it. @returns their uids */
const fallDue = async (url: string, { key, agent }: Person): Promise<string[]> => {
  const from = millisIn(3_000);
  const actions = Array.from({ length: 40 }, (_, i) => ({
    uid: randomUUID(),
    action_type: 'log',
    title: 'falls due',
    scheduled_for: new Date(from + i * 250).toISOString(),
  }));
  const uids = actions.map((a) => a.uid);
  await ok(url, agent, post('/agent/plan', { actions }));
  const { body } = await ok(url, key, post('/agent/approve', { uids }));
  // On a busy machine the first of them may have lapsed by now.
  return (body as { uid: string; status: number }[]).filter((one) => one.status === 200).map((one) => one.uid);
};

/** Nothing is left that should have been carried out a moment ago. */
const hasCaughtUp = async (url: string, { key }: Person): Promise<boolean> => {
  const { status, body } = await call(url, key, get('/agent/status'));
  return status === 200 && (body.next_due === null || Date.parse(body.next_due as string) > millisIn(-500));
};

type Back = { what: string; ms: number };

/** How long each thing takes to work again. */
const recovery = async (instances: Server[], person: Person, followers: Follower[]): Promise<Back[]> => {
  const since = performance.now();
  const timed = async (what: string, work: () => Promise<boolean>): Promise<Back> => ({
    what,
    ms: await until(since, work),
  });
  const each = instances.map(({ url }, i) => [
    timed(`instance ${i + 1} is ready`, async () => (await call(url, '', get('/health/ready'))).status === 200),
    timed(`instance ${i + 1} writes`, async () => {
      const pushed = await call(
        url,
        person.key,
        post('/memory/push', { traces: [{ type: 'observation', content: 'back' }] }),
      );
      return pushed.status === 201;
    }),
  ]);
  const writing = timed('sockets hear', async () => {
    const pushed = await call(
      (instances[0] as Server).url,
      person.key,
      post('/memory/push', { traces: [{ type: 'observation', content: 'heard' }] }),
    );
    if (pushed.status !== 201) return false;
    const seq = pushed.body[0].seq as number;
    for (let i = 0; i < 100 && !followers.every((f) => (f.seqs.at(-1) ?? 0) >= seq); i++) await sleep(20);
    return followers.every((f) => (f.seqs.at(-1) ?? 0) >= seq);
  });
  const executing = timed('the executor has caught up', () => hasCaughtUp((instances[0] as Server).url, person));
  return Promise.all([...each.flat(), writing, executing]);
};

type Round = { how: Outage; began: number; refused: number; slowest: number; back: Back[]; due: string[] };

const outage = async (
  how: Outage,
  database: OwnPostgres,
  instances: Server[],
  person: Person,
  followers: Follower[],
  seen: Looked[],
): Promise<Round> => {
  const due = await fallDue((instances[0] as Server).url, person);
  await sleep(between(500, 1500));
  const from = seen.length;
  const began = performance.now();
  await database.goAway(how);
  await sleep(between(4_000, 6_000));
  const coming = database.comeBack(how);
  await coming;
  const back = await recovery(instances, person, followers);
  const during = seen.slice(from);
  return {
    ...{ how, began },
    refused: during.filter((l) => l.answer?.status === 503).length,
    slowest: Math.max(0, ...during.map((l) => l.ms)),
    back,
    due,
  };
};

/** How often each plan was carried out. */
const executions = async (url: string, { key }: Person): Promise<Map<string, number>> => {
  const times = new Map<string, number>();
  for (const { type, subject } of await changesAfter(url, key, 0))
    if (type === 'plan.executed') times.set(subject, (times.get(subject) ?? 0) + 1);
  return times;
};

/** Followers saw everything of their person, once, in order. */
const followed = async (url: string, people: Person[], followers: Follower[]): Promise<Check[]> =>
  merge(
    await Promise.all(
      followers.map(async (f) => {
        const { key } = people.find((p) => p.user_id === f.user_id) as Person;
        const all = await changesAfter(url, key, 0);
        await f.catchUp(all.at(-1)?.sequence ?? 0, 20_000);
        const heard = new Set(f.seqs);
        return [
          check('messages on sockets', all.length, {
            lost: all.filter((c) => !heard.has(c.sequence)).map((c) => `${c.sequence} ${c.type}`),
            doubled: f.seqs.filter((seq, i) => i > 0 && seq <= (f.seqs[i - 1] as number)).map(String),
            wrong: [
              // Who subscribes while the database is away is told so.
              ...f.trouble.filter((text) => !text.includes('database_unavailable')),
              ...all
                .filter((c) => heard.has(c.sequence) && f.prints[f.seqs.indexOf(c.sequence)] !== print(c))
                .map((c) => `${c.sequence} differs`),
            ],
          }),
        ];
      }),
    ),
  );

const facts = (rounds: Round[], probes: number): string[] => [
  `${rounds.length} outages of 4 to 6 s under ${PROBES} probing and ${PEOPLE * WRITERS_EACH} writing clients on two instances, ${probes} probes;`,
  ...OUTAGES.map((how) => {
    const mine = rounds.filter((r) => r.how === how);
    const refused = mine.reduce((sum, r) => sum + r.refused, 0);
    const slowest = Math.max(...mine.map((r) => r.slowest));
    const back = Math.max(...mine.flatMap((r) => r.back.map((b) => b.ms)));
    return `${how}: ${refused} refused, slowest answer ${slowest.toFixed(0)} ms, all back within ${back.toFixed(0)} ms;`;
  }),
];

const trial = async (database: OwnPostgres, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const instances = await servers(2, { DATABASE_URL: database.url });
  const [first, second] = instances as [Server, Server];
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await aPerson(first.url));
  const observer = await aPerson(first.url);
  const crews = people.map((person, p) =>
    Array.from({ length: WRITERS_EACH }, (_, i) => aWriter((instances[p % 2] as Server).url, person, i)),
  );
  const writers = crews.flat();
  const followers = [first, second].map(({ url }) => follow([url], observer.user_id, observer.key, 0));
  const seen: Looked[] = [];
  let stopped = false;
  const work = Promise.all([
    ...writers.map((w) => w.run(() => stopped)),
    ...Array.from({ length: PROBES }, (_, i) =>
      probe((instances[i % 2] as Server).url, people[i % PEOPLE] as Person, () => stopped, seen),
    ),
  ]);
  const rounds: Round[] = [];
  try {
    for (let i = 0; i < (quick ? 1 : 5); i++)
      for (const how of OUTAGES) {
        const round = await outage(how, database, instances, observer, followers, seen);
        rounds.push(round);
        say(
          `${how}: ${round.refused} refused, slowest answer ${round.slowest.toFixed(0)} ms, ${round.back.map((b) => `${b.what} after ${b.ms.toFixed(0)}`).join(', ')}`,
        );
      }
  } finally {
    stopped = true;
  }
  await work;
  // Requests whose key a cut-off request holds count as abandoned after half a minute; here the clock is helped.
  await database.query("update idempotency_keys set created_at = now() - interval '6 minutes' where answer is null");
  for (const again of writers.flatMap((w) => w.tally.held)) await again();
  await quiet(first.url, [...people, observer], 20_000);
  say('comparing');
  const compared = await Promise.all(
    crews.map(async (crew: Writer[], i) => compare(crew, await look(first.url, people[i] as Person))),
  );
  const backs = rounds.flatMap((r) => r.back.map((b) => ({ ...b, how: r.how })));
  // The small trial runs on busy machines too. What they take while nothing is away is no fault of the outage.
  const calm = Math.max(0, ...seen.filter(({ at }) => at < (rounds[0]?.began ?? 0)).map(({ ms }) => ms));
  const soon = SOON_MS + (quick ? calm : 0);
  const within = `within ${SOON_MS / 1000} s${quick ? ' more than before' : ''}`;
  const checks = [
    check('answers while and after the database was away', seen.length, {
      wrong: seen.filter((l) => !isFine(l)).map(told),
    }),
    check(`answers ${within}`, seen.length, {
      wrong: seen.filter((l) => l.ms > soon).map(told),
    }),
    check('outages in which requests were refused', rounds.length, {
      wrong: rounds.filter((r) => r.how !== 'not accepting' && !r.refused).map((r) => r.how),
    }),
    check(`things back ${within}`, backs.length, {
      wrong: backs.filter((b) => b.ms > soon).map((b) => `${b.how}: ${b.what} after ${b.ms.toFixed(0)} ms`),
    }),
    exactlyOnce(
      'plans that fell due around the outages, carried out',
      rounds.flatMap((r) => r.due),
      await executions(first.url, observer),
    ),
    ...merge(compared),
    check(
      'other answers',
      writers.reduce((sum, w) => sum + w.tally.requests, 0),
      { wrong: writers.flatMap((w) => w.tally.unexpected) },
    ),
    ...(await followed(first.url, [observer], followers)),
    check('ledgers verified', people.length + 1, { wrong: await audit(first.url, [...people, observer]) }),
    check('services that lived through it', instances.length, { wrong: instances.flatMap((s) => s.accidents) }),
  ];
  for (const f of followers) f.close();
  for (const server of instances) await server.stop();
  return { checks, facts: facts(rounds, seen.length) };
};

const run = async (_place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const database = await ownPostgres();
  try {
    return await trial(database, quick, say);
  } finally {
    await database.drop();
  }
};

export const R6: Trial = {
  id: 'R6',
  title: 'the database goes away and comes back under load',
  places: ['postgres'],
  embedded: false,
  run,
};
