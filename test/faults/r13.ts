/**
 * R13: two calendar programs and a REST client edit the same events, while connections are cut and instances killed. In the end all
 * copies are equal, and every edit that was acknowledged followed the version that its writer had read.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { childOf, childrenOf, D, named } from '../../src/dav/xml.ts';
import { parseXml } from '../support/dav.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { aPerson, audit, call, changesAfter, get, insist, patch, post, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { servers, type Server } from './server.ts';
import { between, check, oneOf, type Check, type Outcome, type Trial } from './trial.ts';

const PATIENCE_MS = 30_000;

type Answer = { status: number; text: string; etag: string | null };
/** What a program has of a resource: its tag, its text, and the title in it. */
type Copy = { etag: string; text: string; title: string };
/** An edit, and the title that its writer had read. */
type Edit = { uid: string; from: string; to: string };
type Log = { acknowledged: Edit[]; stale: number; cut: number };

const titleIn = (text: string): string => /^SUMMARY:(.*)\r$/m.exec(text)?.[1] ?? '';

/** A program with a folder of copies, which it keeps equal by sync-collection. @throws where there is no whole answer */
const aProgram = (urls: readonly string[], { user_id, key }: Person, log: Log) => {
  const home = `/dav/calendars/${user_id}/calendar/`;
  const copies = new Map<string, Copy>();
  let token = '';
  const ask = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const answer = await fetch(oneOf(urls) + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(`${method} ${path} answered ${answer.status}`);
    return { status: answer.status, text, etag: answer.headers.get('etag') };
  };

  const read = async (path: string): Promise<void> => {
    const { status, text, etag } = await ask('GET', path);
    if (status === 200 && etag !== null) copies.set(path, { etag, text, title: titleIn(text) });
    else copies.delete(path);
  };

  const syncOnce = async (): Promise<void> => {
    const body = `<sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>`;
    const { status, text } = await ask('REPORT', home, body);
    if (status !== 207) throw new Error(`sync-collection answered ${status}: ${text}`);
    const root = parseXml(text);
    for (const response of childrenOf(root, named(D, 'response'))) {
      const path = childOf(response, named(D, 'href'))?.text ?? '';
      const prop = childOf(childOf(response, named(D, 'propstat')), named(D, 'prop'));
      const etag = childOf(prop, named(D, 'getetag'))?.text;
      if (etag === undefined) copies.delete(path);
      else if (copies.get(path)?.etag !== etag) await read(path);
    }
    token = childOf(root, named(D, 'sync-token'))?.text ?? '';
  };

  /** Until it works: after lost connections, and while an instance is away. */
  const sync = async (): Promise<void> => {
    for (;;) {
      try {
        return await syncOnce();
      } catch {
        log.cut += 1;
        await sleep(between(20, 100));
      }
    }
  };

  const edit = async (): Promise<void> => {
    const [path, copy] = oneOf([...copies]);
    const to = randomUUID();
    const body = copy.text.replace(`SUMMARY:${copy.title}`, `SUMMARY:${to}`);
    const uid = /^UID:(.*)\r$/m.exec(copy.text)?.[1] ?? '';
    try {
      const { status } = await ask('PUT', path, body, { 'If-Match': copy.etag, 'Content-Type': 'text/calendar' });
      if (status === 204) log.acknowledged.push({ uid, from: copy.title, to });
      else if (status === 412) log.stale += 1;
      else throw new Error(`PUT answered ${status}`);
      await read(path);
    } catch {
      log.cut += 1;
    }
    await sync();
  };
  return { sync, edit, copies };
};

/** A client of REST, which reads an event and changes the version that it has read. */
const editByRest = async (urls: readonly string[], { key }: Person, uid: string, log: Log): Promise<void> => {
  try {
    const { body, headers } = await call(oneOf(urls), key, get(`/calendar/event?uid=${uid}`));
    const to = randomUUID();
    const match = { 'If-Match': headers.get('etag') ?? '' };
    const { status } = await call(oneOf(urls), key, patch('/calendar/edit', { uid, updates: { title: to } }, match));
    if (status === 200) log.acknowledged.push({ uid, from: body.title, to });
    else if (status === 412) log.stale += 1;
  } catch {
    log.cut += 1;
  }
};

const killNowAndThen = async (instances: Server[], every: number, isOver: () => boolean): Promise<number> => {
  for (let killed = 0; ; killed += 1) {
    await sleep(every);
    if (isOver()) return killed;
    const victim = oneOf(instances);
    await victim.kill();
    await sleep(between(0, 300));
    await victim.start();
  }
};

/** Each acknowledged edit is one version, and the version before is the one that its writer had read. */
const compare = (edits: readonly Edit[], titles: ReadonlyMap<string, string[]>): Check => {
  const [lost, doubled, wrong]: string[][] = [[], [], []];
  for (const { uid, from, to } of edits) {
    const all = titles.get(uid) ?? [];
    const at = all.indexOf(to);
    if (at < 0) lost?.push(`${to} of ${uid}`);
    else if (all.lastIndexOf(to) !== at) doubled?.push(`${to} of ${uid}`);
    else if (all[at - 1] !== from)
      wrong?.push(`${to} of ${uid} was written over ${all[at - 1]}, which nobody had read`);
  }
  return check('acknowledged edits', edits.length, { lost: lost ?? [], doubled: doubled ?? [], wrong: wrong ?? [] });
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const [events, seconds, every] = quick ? [30, 15, 5_000] : [500, 600, 20_000];
  const instances = await servers(place.instances(2), place.env);
  const direct = instances.map(({ url }) => url);
  const proxies = await Promise.all(direct.map((url) => cuttingProxy(url)));
  for (const proxy of proxies) proxy.cutEvery(200);
  const cutOff = proxies.map(({ url }) => url);
  const [first] = direct as [string];
  const person = await aPerson(first);
  const uids = Array.from({ length: events }, () => randomUUID());
  for (const [i, uid] of uids.entries()) {
    const scheduled_for = new Date(Date.UTC(2027, 0, 1, i)).toISOString();
    await insist(
      first,
      person.key,
      post('/calendar/create', { uid, title: 'new', scheduled_for, duration_minutes: 30 }),
    );
  }
  const log: Log = { acknowledged: [], stale: 0, cut: 0 };
  const programs = [aProgram(cutOff, person, log), aProgram(cutOff, person, log)];
  await Promise.all(programs.map((one) => one.sync()));
  const end = performance.now() + seconds * 1000;
  const isOver = (): boolean => performance.now() >= end;
  const until = async (work: () => Promise<void>): Promise<void> => {
    while (!isOver()) await work();
  };
  const [killed] = await Promise.all([
    killNowAndThen(instances, every, isOver),
    ...programs.map((one) => until(one.edit)),
    until(() => editByRest(cutOff, person, oneOf(uids), log)),
  ]);
  say(`${log.acknowledged.length} edits acknowledged, ${log.stale} refused as stale, ${killed} instances killed`);
  for (const proxy of proxies) proxy.cutEvery(Infinity);
  for (const one of programs) await one.sync();
  const changes = await changesAfter(first, person.key, 0);
  const titles = new Map<string, string[]>();
  for (const { type, subject, data } of changes)
    if (type.startsWith('event.')) titles.set(subject, [...(titles.get(subject) ?? []), String(data['title'])]);
  const differing = programs.flatMap(({ copies }, i) =>
    uids.flatMap((uid) => {
      const path = `/dav/calendars/${person.user_id}/calendar/${uid}.ics`;
      const [has, is] = [copies.get(path)?.title, titles.get(uid)?.at(-1)];
      return has === is ? [] : [`program ${i} has ${has} of ${uid}, which is ${is}`];
    }),
  );
  const broken = await audit(first, [person]);
  const cuts = proxies.reduce((sum, proxy) => sum + proxy.cuts(), 0);
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await Promise.all(instances.map((one) => one.stop()));
  return {
    checks: [
      compare(log.acknowledged, titles),
      check('copies equal in the end', events * programs.length, { wrong: differing }),
      check('ledgers verified', 1, { wrong: broken }),
      check('instances killed and started again', killed, { wrong: instances.flatMap((one) => one.accidents) }),
    ],
    facts: [
      `${log.stale} edits were refused as stale, ${cuts} connections were cut, and ${log.cut} requests had no answer.`,
    ],
  };
};

export const R13: Trial = {
  id: 'R13',
  title: 'two calendar programs and REST edit the same events, while connections are cut and instances killed',
  places: ['postgres'],
  embedded: true,
  run,
};
