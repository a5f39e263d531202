/**
 * R20: the upgrade from 0.1.0 as docs/operations.md describes it. The old release is filled, the new one starts beside it, both
 * write for the same people, the old one stops, and every ledger is intact, without a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, get, insist, ok, patch, post, walk, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { earlierRelease } from './earlier-release.ts';
import { aServer, type Server } from './server.ts';
import { check, merge, oneOf, type Check, type Outcome, type Trial } from './trial.ts';
import { dayAhead, instantIn } from '../support/today.ts';

/** The last commit of 0.1.0. */
const COMMIT = '0b32ad2';
/** How long the new release may take to index what the old one wrote: the minute of docs/operations.md. */
const SETTLES_WITHIN_MS = 60_000;
/** How 0.1.0 refuses to start, as docs/operations.md quotes it. */
const REFUSAL = /corrupted migrations: previously executed migration 0009_plans is missing/;

type Written = { contents: Map<string, string>; writes: number; again: number; refused: string[] };

/** Writes by whichever of the servers, of each kind that changes rows of traces, plans and events. */
const aWriter = (person: Person, number: number) => {
  const written: Written = { contents: new Map(), writes: 0, again: 0, refused: [] };
  let count = 0;
  const send = async (server: Server, token: string, sent: ReturnType<typeof post>) => {
    const { tries, ...answer } = await insist(server.url, token, sent);
    written.writes += 1;
    written.again += tries > 1 ? 1 : 0;
    if (answer.status >= 300)
      written.refused.push(
        `${sent.method} ${sent.path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`,
      );
    return answer;
  };
  const textOf = (uid: string, n: number): string => `Maria: ${uid} came yesterday? Number ${n}`;

  const push = async (server: Server): Promise<void> => {
    const uid = `w${number}-${(count += 1)}`;
    const content = textOf(uid, count);
    const trace = { uid, type: 'observation', content, authored_by: `Author ${count}`, tags: ['#boat'] };
    if ((await send(server, person.key, post('/memory/push', { traces: [trace] }))).status === 201)
      written.contents.set(uid, content);
  };
  const edit = async (server: Server): Promise<void> => {
    const uid = oneOf([...written.contents.keys()]);
    const content = textOf(uid, (count += 1));
    const updates = { content, ...(count % 3 ? {} : { authored_by: `Another ${count}` }) };
    if ((await send(server, person.key, patch('/memory/edit', { uid, updates }))).status === 200)
      written.contents.set(uid, content);
  };
  const remove = async (server: Server): Promise<void> => {
    const uid = oneOf([...written.contents.keys()]);
    await send(server, person.key, { method: 'DELETE', path: `/memory/remove?uid=${uid}` });
    written.contents.delete(uid);
  };
  const plan = async (server: Server, decider: Server): Promise<void> => {
    const day = dayAhead(20 + (count += 1));
    const action = {
      ...{ action_type: 'schedule', title: `Paint ${number}-${count}` },
      ...{ scheduled_for: `${day}T09:00`, duration_minutes: 30 },
    };
    const { body } = await send(server, person.agent, post('/agent/plan', { actions: [action] }));
    const uid = body[0]?.uid as string | undefined;
    if (uid === undefined) return;
    const way = count % 3 ? 'approve' : 'reject';
    await send(decider, person.key, post(`/agent/${way}`, { uid }));
  };
  const event = async (server: Server, editor: Server): Promise<void> => {
    const uid = `e${number}-${(count += 1)}`;
    const at = instantIn(-count * 86_400_000);
    const created = { uid, title: `Event ${count}`, scheduled_for: at, duration_minutes: 15 };
    await send(server, person.key, post('/calendar/create', created));
    await send(editor, person.key, patch('/calendar/edit', { uid, updates: { title: `Changed ${count}` } }));
  };

  return {
    person,
    written,
    /** One round of every kind; each request goes to one of the servers. */
    round: async (servers: Server[]): Promise<void> => {
      for (let i = 0; i < 3; i++) await push(oneOf(servers));
      await edit(oneOf(servers));
      await plan(oneOf(servers), oneOf(servers));
      await edit(oneOf(servers));
      await event(oneOf(servers), oneOf(servers));
      if (count % 2) await remove(oneOf(servers));
    },
  };
};
type Writer = ReturnType<typeof aWriter>;

const rounds = async (writers: Writer[], servers: Server[], times: number): Promise<void> => {
  await Promise.all(
    writers.map(async (writer) => {
      for (let i = 0; i < times; i++) await writer.round(servers);
    }),
  );
};

/** Audits again until the new release has made all rows of the old one again. Damage is reported at once. */
const settledAudit = async (
  url: string,
  people: Person[],
): Promise<{ broken: string[]; most: number; seconds: number }> => {
  const began = performance.now();
  let most = 0;
  for (;;) {
    const broken: string[] = [];
    let outdated = 0;
    for (const { user_id, key } of people) {
      const { body } = await ok(url, key, get('/debug/audit'));
      if (!body.ok) broken.push(`ledger of ${user_id}: ${JSON.stringify(body.first_bad)}`);
      outdated += body.outdated;
    }
    most = Math.max(most, outdated);
    const elapsed = performance.now() - began;
    if (outdated && elapsed > SETTLES_WITHIN_MS) broken.push(`${outdated} rows are still outdated`);
    if (!outdated || broken.length) return { broken, most, seconds: elapsed / 1000 };
    await sleep(500);
  }
};

const kept = async (url: string, { person, written }: Writer): Promise<Check> => {
  const found = new Map<string, string>();
  for (const { uid, content } of await walk<{ uid: string; content: string }>(
    url,
    person.key,
    '/memory/pull?limit=500',
  ))
    found.set(uid, content);
  const all = [...written.contents];
  return check('traces that both releases acknowledged', all.length, {
    lost: all.filter(([uid]) => !found.has(uid)).map(([uid]) => uid),
    wrong: all.filter(([uid, content]) => found.has(uid) && found.get(uid) !== content).map(([uid]) => uid),
  });
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const release = await earlierRelease(COMMIT, 'src/main.ts');
  if (!release)
    return { checks: [], facts: [`Skipped: the git history of this copy has no commit ${COMMIT} (0.1.0).`] };
  try {
    const old = await aServer(place.env, release.main);
    await old.start();
    const people = await Promise.all(Array.from({ length: quick ? 2 : 6 }, () => aPerson(old.url)));
    const writers = people.map(aWriter);
    const times = quick ? 4 : 40;
    await rounds(writers, [old], times);
    say('0.1.0 is filled; the new release starts beside it');
    const fresh = await aServer(place.env);
    const settled = new AbortController();
    const started = fresh.start().finally(() => settled.abort());
    started.catch(() => undefined); // It is awaited below.
    while (!settled.signal.aborted) await rounds(writers, [old], 1);
    await started;
    await rounds(writers, [old, fresh], times * 2);
    say('both have written; 0.1.0 stops');
    await old.stop();
    await rounds(writers, [fresh], 1);
    const { broken, most, seconds } = await settledAudit(fresh.url, people);
    const again = await old.start().then(
      () => 'it started',
      (error: unknown) => (error as Error).message,
    );
    const accidents = [...fresh.accidents];
    const writes = writers.reduce((sum, { written }) => sum + written.writes, 0);
    const texts = await Promise.all(writers.map((writer) => kept(fresh.url, writer)));
    return {
      checks: [
        check('writes during the upgrade', writes, { wrong: writers.flatMap(({ written }) => written.refused) }),
        check('ledgers after it', people.length, { wrong: broken }),
        ...merge(texts.map((text) => [text])),
        check('the start of 0.1.0 on the new schema is refused', 1, { wrong: REFUSAL.test(again) ? [] : [again] }),
        check('accidents of the new release', 1, { wrong: accidents }),
      ],
      facts: [
        `${writers.reduce((sum, { written }) => sum + written.again, 0)} writes were refused with 503 and sent again.`,
        `${most} rows were outdated when 0.1.0 had stopped, and none ${seconds.toFixed(0)} s later. Started again, 0.1.0 said: ${again.slice(0, 300)}`,
      ],
    };
  } finally {
    release.remove();
  }
};

export const R20: Trial = {
  id: 'R20',
  title: 'rolling upgrade from 0.1.0 under writes',
  places: ['postgres'],
  embedded: false,
  run,
};
