/**
 * R17: outbound requests against hostile peers. A canary listens on loopback, where nobody may come; a public network is played
 * (test/support/public-network.ts). Part of the requests is sent by src/outbound in a process of its own, part by a service.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aCanary, aHostilePeer, answer, thenReset, type HostilePeer } from '../support/hostile-peer.ts';
import { nameOf } from '../support/public-network.ts';
import { CERTIFICATE } from '../support/tls.ts';
import { call, get, ok, post } from './api.ts';
import type { Place } from './cluster.ts';
import { LIMITS, type Attempted } from './r17-attempt.ts';
import { ENDLESS, endlessCases, PUBLIC, reachCases, type Case } from './r17-cases.ts';
import { aServer, type Server } from './server.ts';
import { check, type Check, type Outcome, type Trial } from './trial.ts';

/** A request ends within its limit and this: the machine may be busy. */
const LATER_MS = 2_000;
const MEMORY_MIB = 192;
/** Most of the endless answers take no work, only time. */
const AT_ONCE = 4;
/** Of a source, with its claim and its record. */
const READ_WITHIN_MS = 60_000;
const OWNER_KEY = 'an-owner-key-for-fault-trials-that-is-long-enough';

type Canary = Awaited<ReturnType<typeof aCanary>>;
type Stage = { peer: HostilePeer; canary: Canary; quick: boolean; say: (line: string) => void };

const aChild = (): ChildProcess => fork(join(import.meta.dirname, 'r17-attempt.ts'), ['child']);

/** What the child says of a case; null where it says nothing in time, or dies. */
const tell = async (child: ChildProcess, one: Case): Promise<Attempted | null> => {
  const waiting = new AbortController();
  const limit = one.times * LIMITS.timeoutMs + LATER_MS;
  child.send(one);
  const told = await Promise.race([
    once(child, 'message', { signal: waiting.signal }).then(([done]) => done as Attempted),
    once(child, 'exit', { signal: waiting.signal }).then(() => null),
    sleep(limit, null, { signal: waiting.signal }),
  ]).catch(() => null);
  waiting.abort();
  return told;
};

const reach = async ({ peer, canary, quick }: Stage): Promise<Check[]> => {
  const all = reachCases(peer, canary.port);
  const chosen = quick ? all.filter((_, n) => n % 5 === 0) : all;
  const child = aChild();
  const [reached, strange]: [string[], string[]] = [[], []];
  const control: Case = { what: '', url: `http://127.0.0.1:${canary.port}/`, via: 'fetch', policy: 'open', times: 1 };
  await tell(child, control);
  const counted = canary.reached();
  for (const one of chosen) {
    const before = canary.reached();
    const told = await tell(child, one);
    const what = `${one.what}, by ${one.via}, loopback ${one.policy}`;
    if (canary.reached() !== before) reached.push(`${what}: ${told?.codes.join(' ') ?? 'no answer'}`);
    // The first answer of a name may lead to the public peer, whose port is another.
    else if (told?.codes.some((code) => code === '200') ?? true) strange.push(`${what}: ${told?.codes.join(' ')}`);
  }
  child.kill();
  return [
    check('a request that is allowed reaches the canary', 1, { wrong: counted === 1 ? [] : [`${counted} came`] }),
    check('requests that may not reach a network', chosen.length, { wrong: reached }),
    check('requests that end with a failure', chosen.length, { wrong: strange }),
  ];
};

/** Each has a process of its own: one that hangs or takes memory says nothing about the next. */
const endless = async ({ peer, quick, say }: Stage): Promise<{ checks: Check[]; fact: string }> => {
  const cases = endlessCases(peer).filter(({ via }) => !quick || via === 'fetch');
  const [late, large]: [string[], string[]] = [[], []];
  let most = 0;
  const tryOne = async (one: Case): Promise<void> => {
    const child = aChild();
    const idle = await tell(child, { ...one, times: 0 });
    const told = await tell(child, one);
    child.kill('SIGKILL');
    if (!told || told.ms > LIMITS.timeoutMs + LATER_MS)
      late.push(`${one.what}: ${told ? `${told.ms.toFixed(0)} ms` : 'no end'}`);
    const above = (told?.peakMiB ?? 0) - (idle?.peakMiB ?? 0);
    if (above > MEMORY_MIB) large.push(`${one.what}: ${above.toFixed(0)} MiB`);
    most = Math.max(most, above);
    if (!told) say(`${one.what}: no end`);
  };
  for (let n = 0; n < cases.length; n += AT_ONCE) await Promise.all(cases.slice(n, n + AT_ONCE).map(tryOne));
  return {
    checks: [
      check(`hostile answers that end within their limit`, cases.length, { wrong: late }),
      check(`hostile answers that take at most ${MEMORY_MIB} MiB`, cases.length, { wrong: large }),
    ],
    fact: `The largest answer took ${most.toFixed(0)} MiB.`,
  };
};

type Shown = { id: string; status: string; last_error: string | null };

/** Subscribes to an address, waits until it was read, and removes it. @returns what its person sees; null where it is never read */
const readOnce = async ({ url }: Server, address: string): Promise<Shown | null> => {
  const { body } = await ok(url, OWNER_KEY, post('/calendar/sources', { url: address, name: 'hostile' }));
  let shown: Shown | undefined;
  for (const ends = performance.now() + READ_WITHIN_MS; performance.now() < ends; await sleep(20)) {
    const { body: all } = await ok(url, OWNER_KEY, get('/calendar/sources?limit=100'));
    shown = (all as Shown[]).find(({ id }) => id === body.id);
    if (shown?.status !== 'new') break;
  }
  await ok(url, OWNER_KEY, { method: 'DELETE', path: `/calendar/sources?id=${body.id}` });
  return shown && shown.status !== 'new' ? shown : null;
};

const residentMiB = (server: Server): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8'))?.[1]) / 1024;

/** As it is configured by default, with a proxy in the environment that it must not use. */
const byService = async (place: Place, { peer, canary, quick, say }: Stage): Promise<Check[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-r17-'));
  const [certificate, proxy] = [join(folder, 'ca.pem'), `http://127.0.0.1:${canary.port}`];
  writeFileSync(certificate, CERTIFICATE);
  const server = await aServer({
    ...place.env,
    ...{ ALLOW_REGISTRATION: 'false', OWNER_API_KEY: OWNER_KEY },
    ...{ NODE_OPTIONS: `--import=${join(import.meta.dirname, '../support/public-network.ts')}` },
    ...{ PLAY_PUBLIC_NETWORK: 'yes', NODE_EXTRA_CA_CERTS: certificate },
    ...{ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '' },
  });
  await server.start();
  const base = `https://${nameOf([PUBLIC.address])}:${peer.port}`;
  const before = canary.reached();
  const [reached, stuck, deliveries]: [string[], string[], string[]] = [[], [], []];
  const redirects = quick ? 20 : 300;
  peer.play('/inwards', thenReset(answer(302, { Location: `http://127.0.0.1:${canary.port}/` })));
  for (let n = 0; n < redirects; n += 1) {
    const had = canary.reached();
    const shown = await readOnce(server, `${base}/inwards`);
    if (canary.reached() !== had) reached.push(`a source, ${n + 1}: ${shown?.last_error}`);
  }
  say(
    `${redirects} sources that redirect inwards and reset were read, ${canary.reached() - before} reached the canary`,
  );
  const names = [
    nameOf([PUBLIC.address], ['127.0.0.1']),
    nameOf([PUBLIC.address, '127.0.0.1']),
    nameOf(['::ffff:127.0.0.1']),
  ];
  for (const name of names) {
    const had = canary.reached();
    const made = await ok(server.url, OWNER_KEY, post('/user/webhooks', { url: `https://${name}:${canary.port}/` }));
    for (let n = 0; n < 3; n += 1) {
      const { status } = await call(server.url, OWNER_KEY, post('/user/webhooks/test', { id: made.body.id }));
      if (status !== 200) deliveries.push(`a test of a webhook was answered ${status}`);
    }
    // On the embedded default the person may reach loopback themselves, by https too; a name that is both is refused.
    if (place.kind === 'postgres' && canary.reached() !== had) reached.push(`a webhook at ${name}`);
    await ok(server.url, OWNER_KEY, { method: 'DELETE', path: `/user/webhooks?id=${made.body.id}` });
  }
  const idle = residentMiB(server);
  const endings = [
    'changes the protocol',
    'changes the protocol',
    'sends pieces of a byte without an end',
    'sends interim answers without an end',
  ];
  for (const [n, what] of endings.entries()) {
    peer.play(`/ending${n}`, ENDLESS[what] as (typeof ENDLESS)[string]);
    if (!(await readOnce(server, `${base}/ending${n}`))) stuck.push(`a source that ${what} was not read to its end`);
  }
  const calendar = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//R17//EN\r\nEND:VCALENDAR\r\n';
  peer.play('/fine', (client) => void client.end(answer(200, { 'Content-Type': 'text/calendar' }, calendar)));
  const fine = await readOnce(server, `${base}/fine`);
  if (fine?.status !== 'ok') stuck.push(`a source that is fine: ${fine?.last_error ?? 'never read'}`);
  const above = server.running() ? residentMiB(server) - idle : Number.NaN;
  const accidents = [...server.accidents];
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    check('sources and webhooks of a service that may not reach loopback', redirects + names.length, {
      wrong: reached,
    }),
    check('tests of webhooks that are answered', names.length * 3, { wrong: deliveries }),
    check('hostile sources after which others are read', endings.length + 1, { wrong: stuck }),
    check(`the service goes on, with at most ${MEMORY_MIB} MiB more`, 1, {
      wrong: [...accidents, ...(above < MEMORY_MIB ? [] : [`${above.toFixed(0)} MiB more`])],
    }),
  ];
};

const run: Trial['run'] = async (place, quick, say): Promise<Outcome> => {
  const [peer, canary] = [await aHostilePeer(PUBLIC.listenOn, true), await aCanary()];
  const stage = { peer, canary, quick, say };
  try {
    const reached = await reach(stage);
    say(`${reached[1]?.tried} requests, of which ${reached[1]?.wrong.length} reached the canary`);
    const { checks, fact } = await endless(stage);
    return { checks: [...reached, ...checks, ...(await byService(place, stage))], facts: [fact] };
  } finally {
    peer.close();
    canary.close();
  }
};

export const R17: Trial = {
  id: 'R17',
  title: 'outbound requests against hostile peers',
  places: ['embedded', 'postgres'],
  embedded: true,
  run,
};
