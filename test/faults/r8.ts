/** R8: sockets on two instances that lose their connections all the time. What each hears is the ledger: no gap, no duplicate, in order. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, audit, changesAfter, insist, get, patch, post, type Change, type Person, type Sent } from './api.ts';
import type { Place } from './cluster.ts';
import { follow, print, type Follower } from './followers.ts';
import { servers, type Server } from './server.ts';
import { between, check, merge, oneOf, type Check, type Outcome, type Trial } from './trial.ts';
import { instantIn } from '../support/today.ts';

const PEOPLE = 3;
const SHOWN = ['trace', 'plan', 'queue', 'event'];
const CATCH_UP_MS = 120_000;
const DAY_MS = 86_400_000;

type Written = { events: () => number; done: Promise<void> };

/** One person's writes: mostly batches of traces, some edits, events and plans; insisting, since instances are killed. */
const write = (urls: () => string, person: Person, wanted: number): Written => {
  let events = 0;
  let slots = 0;
  const send = (token: string, sent: Sent) => insist(urls(), token, sent);
  const push = async (size: number): Promise<string> => {
    const traces = Array.from({ length: size }, () => {
      const uid = randomUUID();
      return { uid, type: 'observation', content: `note ${uid}` };
    });
    await send(person.key, post('/memory/push', { traces }));
    return traces[0]?.uid as string;
  };
  const slot = (): string => instantIn(2 * DAY_MS + (slots += 1) * 30 * 60_000);
  const others = async (): Promise<void> => {
    const uid = await push(1);
    await send(person.key, patch('/memory/edit', { uid, updates: { content: `edited ${uid}` } }));
    const event = { uid: randomUUID(), title: 'An event', scheduled_for: slot(), duration_minutes: 20 };
    await send(person.key, post('/calendar/create', event));
    const action = {
      uid: randomUUID(),
      action_type: 'schedule',
      title: 'A plan',
      scheduled_for: slot(),
      duration_minutes: 20,
    };
    await send(person.agent, post('/agent/plan', { actions: [action] }));
    await send(person.key, post('/agent/approve', { uid: action.uid }));
  };
  const work = async (): Promise<void> => {
    for (let turn = 0; events < wanted; turn++) {
      if (turn % 2) await push(Math.min(oneOf([1, 10, 100, 500]), wanted));
      else await others();
      events = (await send(person.key, get('/agent/changes'))).body.seq;
      await sleep(between(0, 20));
    }
  };
  return { events: () => events, done: work() };
};

/** Gaps, duplicates, disorder and differences of what one socket heard against what there was to hear. */
const faultsOf = (follower: Follower, truth: { seqs: number[]; prints: string[] }) => {
  const heard = new Map<number, number>();
  follower.seqs.forEach((seq) => heard.set(seq, (heard.get(seq) ?? 0) + 1));
  const known = new Map(truth.seqs.map((seq, i) => [seq, truth.prints[i]]));
  const name = (seq: number): string => `seq ${seq} of ${follower.user_id}`;
  return {
    lost: truth.seqs.filter((seq) => !heard.has(seq)).map(name),
    doubled: [...heard].filter(([, times]) => times > 1).map(([seq]) => name(seq)),
    wrong: [
      ...follower.seqs
        .filter((seq, i) => i > 0 && seq < (follower.seqs[i - 1] as number))
        .map((seq) => `${name(seq)} came late`),
      ...follower.seqs
        .filter((seq, i) => known.get(seq) !== follower.prints[i])
        .map((seq) => `${name(seq)} says something else`),
      ...follower.trouble,
    ],
  };
};

const gather = (what: string, tried: number, lists: ReturnType<typeof faultsOf>[]): Check =>
  check(what, tried, {
    lost: lists.flatMap((l) => l.lost),
    doubled: lists.flatMap((l) => l.doubled),
    wrong: lists.flatMap((l) => l.wrong),
  });

/** The ledger itself: dense, and the same as /agent/changes walked from the beginning. */
const compareWalk = async (place: Place, person: Person, walked: Change[]): Promise<Check> =>
  place.sql(async (query) => {
    const rows = await query<{ seq: number; kind: string; subject_uid: string; version: number }>(
      'select seq::int as seq, kind, subject_uid, version from ledger where user_id = $1 order by seq',
      [person.user_id],
    );
    const shown = rows.filter((r) => SHOWN.includes(r.kind.split('.')[0] as string));
    const bySeq = new Map(walked.map((c) => [c.sequence, c]));
    return check('entries of the ledger against /agent/changes', rows.length, {
      lost: [
        ...rows.filter((r, i) => r.seq !== i + 1).map((r) => `the entry before ${r.seq}`),
        ...shown.filter((r) => !bySeq.has(r.seq)).map((r) => `seq ${r.seq} of /agent/changes`),
      ],
      doubled: Array.from({ length: walked.length - bySeq.size }, () => 'a seq of /agent/changes'),
      wrong: shown
        .filter(({ seq, kind, subject_uid, version }) => {
          const { type, subject, data } = bySeq.get(seq) ?? { type: kind, subject: subject_uid, data: { version } };
          return type !== kind || subject !== subject_uid || data.version !== version;
        })
        .map((r) => `seq ${r.seq}`),
    });
  });

/** Now and then an instance is killed and started again, with all sockets on it. */
const killInstances = async (instances: Server[], kills: number, share: () => number, say: (l: string) => void) => {
  for (let killed = 0; killed < kills;) {
    if (share() >= 1) return killed;
    if (share() >= (killed + 1) / (kills + 1)) {
      const victim = oneOf(instances);
      await victim.kill();
      await victim.start();
      killed += 1;
      say(`${Math.round(share() * 100)}% written, ${killed} instances killed`);
    }
    await sleep(100);
  }
  return kills;
};

/** What the sockets of one person heard, against /agent/changes walked from the beginning. */
const compareSockets = async (walked: Change[], followers: Follower[]): Promise<Check[]> => {
  const truth = { seqs: walked.map((c) => c.sequence), prints: walked.map(print) };
  const last = truth.seqs.at(-1) ?? 0;
  const arrived = await Promise.all(followers.map((f) => f.catchUp(last, CATCH_UP_MS)));
  for (const follower of followers) follower.close();
  const messages = followers.reduce((sum, f) => sum + f.seqs.length, 0);
  return [
    gather(
      'messages heard on sockets',
      messages,
      followers.map((f) => faultsOf(f, truth)),
    ),
    check('sockets that reached the end', followers.length, {
      lost: arrived.filter((there) => !there).map(() => `one did not come to seq ${last}`),
    }),
  ];
};

/** Everything is written while sockets come and go and instances die. @returns how many of them did, and in what time. */
const writeAndFollow = async (instances: Server[], people: Person[], quick: boolean, say: (line: string) => void) => {
  const [total, sockets, kills] = quick ? [3000, 12, 1] : [100_000, 30, 6];
  const urls = instances.map((s) => s.url);
  const began = performance.now();
  const followers = people.flatMap((p) =>
    Array.from({ length: sockets / PEOPLE }, () => follow(urls, p.user_id, p.key, 0)),
  );
  const writings = people.map((p) => write(() => oneOf(urls), p, Math.ceil(total / PEOPLE)));
  const share = (): number => writings.reduce((sum, w) => sum + Math.min(w.events(), total / PEOPLE), 0) / total;
  const [killed] = await Promise.all([killInstances(instances, kills, share, say), ...writings.map((w) => w.done)]);
  say('all written; the sockets catch up');
  return { followers, killed, seconds: (performance.now() - began) / 1000 };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const instances = await servers(place.instances(2), place.env);
  const [{ url }] = instances as [Server];
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await aPerson(url));
  const { followers, killed, seconds } = await writeAndFollow(instances, people, quick, say);
  const walks: Change[][] = [];
  const heard: Check[][] = [];
  for (const person of people) {
    const walked = await changesAfter(url, person.key, 0);
    walks.push(walked);
    heard.push(
      await compareSockets(
        walked,
        followers.filter((f) => f.user_id === person.user_id),
      ),
    );
  }
  const broken = await audit(url, people);
  await Promise.all(instances.map((s) => s.stop()));
  const entries: Check[] = [];
  for (const [i, person] of people.entries()) entries.push(await compareWalk(place, person, walks[i] as Change[]));
  const checks = [
    ...merge(entries.map((c) => [c])),
    ...merge(heard),
    check('ledgers verified', people.length, { wrong: broken }),
    check('instances killed and started again', killed, { wrong: instances.flatMap((s) => s.accidents) }),
  ];
  const connections = followers.reduce((n, f) => n + f.connections(), 0);
  const facts = [
    `${checks[0]?.tried} events of ${PEOPLE} people written in ${seconds.toFixed(0)} s, ${instances.length} instances;`,
    `${followers.length} sockets connected ${connections} times and heard ${checks[1]?.tried} messages.`,
  ];
  return { checks, facts };
};

export const R8: Trial = {
  id: 'R8',
  title: 'sockets that lose their connections',
  places: ['postgres'],
  embedded: true,
  run,
};
