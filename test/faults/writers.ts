/** Clients for R1: each does one thing after the other, insists until it is answered, and remembers what it was promised. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { call, get, insist, patch, post, walk, type Answer, type Person, type Sent } from './api.ts';
import { between, oneOf, random } from './trial.ts';
import { dayAhead, instantIn, millisIn } from '../support/today.ts';

/** What was acknowledged, by the fingerprints it must have left in the ledger (see r1.ts). */
export type Promises = {
  traces: Set<string>;
  keyedTraces: Set<string>;
  edits: Set<string>;
  events: Set<string>;
  proposals: Set<string>;
  approvals: Set<string>;
  /** Newest acknowledged content of each trace, and the seq an answer gave to a uid. */
  contents: Map<string, string>;
  seqs: Map<number, string>;
};

export type Tally = {
  requests: number;
  /** Requests that were cut off and sent again. */
  again: number;
  /** Requests with an Idempotency-Key, sent once more after they had been answered. */
  replayed: number;
  differently: string[];
  unexpected: string[];
  /** Their key is held by a request that died: sent again once it counts as abandoned. */
  held: (() => Promise<void>)[];
};

export type Writer = { promises: Promises; tally: Tally; run: (stopped: () => boolean) => Promise<void> };

const DAY_MS = 86_400_000;
const SLOT_MS = 30 * 60_000;
const REPLAYS = 0.15;
const REMEMBERED = 50;

export const aWriter = (url: string, person: Person, number: number): Writer => {
  const promises: Promises = {
    traces: new Set(),
    keyedTraces: new Set(),
    edits: new Set(),
    events: new Set(),
    proposals: new Set(),
    approvals: new Set(),
    contents: new Map(),
    seqs: new Map(),
  };
  const tally: Tally = { requests: 0, again: 0, replayed: 0, differently: [], unexpected: [], held: [] };
  const answered: { sent: Sent; token: string; answer: Answer }[] = [];
  /** Own traces that can be edited, with the version and the content they have. */
  const editable: { uid: string; version: number }[] = [];
  let count = 0;
  let slots = 0;

  /** Unlike anything else in this trial. */
  const mark = (): string => `w${number}-${(count += 1)}-${randomUUID().slice(0, 8)}`;
  /** A half hour that nobody else of this trial uses, some weeks ahead: room for 5,280 each, or an event sent again at the end would displace a block. */
  const slot = (): string =>
    new Date(Date.parse(dayAhead(21)) + number * 110 * DAY_MS + (slots += 1) * SLOT_MS).toISOString();

  const send = async (token: string, sent: Sent): Promise<Answer> => {
    const { tries, ...answer } = await insist(url, token, sent);
    tally.requests += 1;
    tally.again += tries > 1 ? 1 : 0;
    return answer;
  };

  const unexpected = (sent: Sent, { status, body }: Answer): void => {
    tally.unexpected.push(`${sent.method} ${sent.path}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  };

  /**
   * Sends under an Idempotency-Key and tells what came of it: the answer, `interrupted` (the effect is there, its answer is
   * lost), or `held` (a dead request holds the key; `later` gets the answer when it no longer does).
   */
  const sendKeyed = async (
    token: string,
    sent: Sent,
    later: (answer: Answer) => void,
  ): Promise<Answer | 'interrupted' | 'held'> => {
    const keyed = { ...sent, headers: { ...sent.headers, 'Idempotency-Key': randomUUID() } };
    const answer = await send(token, keyed);
    const code = (answer.body as { code?: string }).code;
    if (answer.status === 409 && code === 'idempotency_interrupted') return 'interrupted';
    if (answer.status === 409 && code === 'idempotency_running') {
      tally.held.push(async () => later(await send(token, keyed)));
      return 'held';
    }
    if (answer.status < 300) {
      answered.push({ sent: keyed, token, answer });
      if (answered.length > REMEMBERED) answered.shift();
    }
    return answer;
  };

  const replay = async (): Promise<void> => {
    if (!answered.length) return;
    const { sent, token, answer } = oneOf(answered);
    const again = await send(token, sent);
    tally.replayed += 1;
    if (again.status !== answer.status || !isDeepStrictEqual(again.body, answer.body))
      tally.differently.push(`${sent.method} ${sent.path}: ${answer.status}, then ${again.status}`);
  };

  const pushWithUids = async (): Promise<void> => {
    const traces = Array.from({ length: between(1, 20) }, () => {
      const uid = mark();
      return { uid, type: 'observation', content: `content of ${uid}` };
    });
    const sent = post('/memory/push', { traces });
    const answer = await send(person.key, sent);
    if (answer.status !== 201) return unexpected(sent, answer);
    for (const { uid, content } of traces) {
      promises.traces.add(`trace ${uid}`);
      promises.contents.set(uid, content);
    }
    for (const { uid, seq } of answer.body as { uid: string; seq: number }[]) promises.seqs.set(seq, uid);
    editable.push({ uid: traces[0]?.uid as string, version: 1 });
  };

  const pushKeyed = async (): Promise<void> => {
    const contents = Array.from({ length: between(1, 10) }, mark);
    const sent = post('/memory/push', { traces: contents.map((content) => ({ type: 'observation', content })) });
    const done = (answer: Answer | 'interrupted'): void => {
      if (answer !== 'interrupted' && answer.status !== 201) return unexpected(sent, answer);
      for (const content of contents) promises.keyedTraces.add(`content ${content}`);
      if (answer === 'interrupted') return;
      (answer.body as { uid: string; seq: number }[]).forEach(({ uid, seq }, i) => {
        promises.contents.set(uid, contents[i] as string);
        promises.seqs.set(seq, uid);
      });
    };
    const answer = await sendKeyed(person.key, sent, done);
    if (answer !== 'held') done(answer);
  };

  /** With If-Match, so that the second try of an edit that was made is refused. */
  const edit = async (): Promise<void> => {
    const target = editable.at(between(0, editable.length - 1));
    if (!target) return;
    const content = mark();
    const sent = patch(
      '/memory/edit',
      { uid: target.uid, updates: { content } },
      { 'If-Match': `"${target.version}"` },
    );
    const answer = await send(person.key, sent);
    if (answer.status !== 200 && answer.status !== 412) return unexpected(sent, answer);
    target.version += 1;
    promises.edits.add(`edit ${content}`);
    promises.contents.set(target.uid, content);
  };

  const editKeyed = async (): Promise<void> => {
    const [target] = editable.splice(between(0, editable.length - 1), 1);
    if (!target) return;
    const content = mark();
    const sent = patch('/memory/edit', { uid: target.uid, updates: { content } });
    const done = (answer: Answer | 'interrupted'): void => {
      if (answer !== 'interrupted' && answer.status !== 200) return unexpected(sent, answer);
      promises.edits.add(`edit ${content}`);
      promises.contents.set(target.uid, content);
      editable.push({ uid: target.uid, version: target.version + 1 });
    };
    const answer = await sendKeyed(person.key, sent, done);
    if (answer !== 'held') done(answer);
  };

  const event = async (): Promise<void> => {
    const title = mark();
    const sent = post('/calendar/create', { title, scheduled_for: slot(), duration_minutes: 20 });
    const done = (answer: Answer | 'interrupted'): void => {
      if (answer !== 'interrupted' && answer.status !== 201) return unexpected(sent, answer);
      promises.events.add(`event ${title}`);
    };
    const answer = await sendKeyed(person.key, sent, done);
    if (answer !== 'held') done(answer);
  };

  const approve = async (uid: string): Promise<void> => {
    const sent = post('/agent/approve', { uid });
    const answer = await send(person.key, sent);
    if (answer.status === 200) promises.approvals.add(uid);
    // What was to happen in three seconds may have lapsed while the service was away.
    else if (answer.body.code !== 'illegal_transition') unexpected(sent, answer);
  };

  /** What a plan is to do: at once, in a moment (by the executor, perhaps of the next process), or weeks ahead. */
  const action = (title: string): object => {
    const soon = instantIn(between(1500, 4000));
    return oneOf<object>([
      { action_type: 'schedule', title, scheduled_for: slot(), duration_minutes: 20 },
      { action_type: 'log', title, scheduled_for: soon },
      { action_type: 'log', title },
      { action_type: 'reflect', title, scheduled_for: soon },
    ]);
  };

  const plan = async (): Promise<void> => {
    const title = mark();
    const uid = mark();
    const sent = post('/agent/plan', { actions: [{ ...action(title), uid }] });
    const answer = await send(person.agent, sent);
    if (answer.status !== 200) return unexpected(sent, answer);
    promises.proposals.add(`proposal ${title}`);
    if (answer.body[0].status === 'proposed') await approve(uid);
  };

  const planKeyed = async (): Promise<void> => {
    const title = mark();
    const sent = post('/agent/plan', { actions: [action(title)] });
    const answer = await sendKeyed(person.agent, sent, (late) => {
      if (late.status !== 200) return unexpected(sent, late);
      promises.proposals.add(`proposal ${title}`);
    });
    if (answer === 'held') return;
    if (answer !== 'interrupted' && answer.status !== 200) return unexpected(sent, answer);
    promises.proposals.add(`proposal ${title}`);
    if (answer !== 'interrupted' && answer.body[0].status === 'proposed') await approve(answer.body[0].uid as string);
  };

  const doings = [pushWithUids, pushWithUids, pushKeyed, edit, editKeyed, event, plan, planKeyed];

  return {
    promises,
    tally,
    run: async (stopped) => {
      while (!stopped()) {
        await (random() < REPLAYS ? replay() : oneOf(doings)());
        await sleep(between(0, 15));
      }
    },
  };
};

/** Waits until the executor has nothing left to do for these people. */
export const quiet = async (url: string, people: Person[], withinMs: number): Promise<void> => {
  for (const { key } of people)
    for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(100)) {
      const { body } = await call(url, key, get('/agent/status'));
      if (body.next_due === null || Date.parse(body.next_due as string) > millisIn(withinMs)) break;
    }
};

export const currentContents = async (url: string, { key }: Person): Promise<Map<string, string>> => {
  const traces = await walk<{ uid: string; content: string }>(url, key, '/memory/pull?limit=1000');
  return new Map(traces.map((t) => [t.uid, t.content]));
};
