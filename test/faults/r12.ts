/** R12: ten webhooks, of which five fail at random, while instances are killed. Each gets the ledger: nothing lost, in order. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { aPerson, audit, changesAfter, get, insist, ok, post, type Change, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { servers, type Server } from './server.ts';
import { between, check, oneOf, random, type Check, type Outcome, type Trial } from './trial.ts';

const ENDPOINTS = 10;
const CATCH_UP_MS = 45 * 60_000;
/** Of the endpoints that fail: how often a request fails, and for how long they are out now and then. */
const FAILS = 0.005;
const OUTAGE_MS = [200, 3_000] as const;
/** After more failures in a row the sender waits for a minute, then for five. */
const MOST_IN_A_ROW = 3;

/** What one endpoint got: every request in the order of its arrival, and those that it accepted, by sequence and id. */
type Endpoint = {
  secret: string;
  seqs: number[];
  ids: string[];
  texts: Map<number, string>;
  failed: number;
  failedInARow: number;
  wrong: string[];
  outUntil: number;
};

const anEndpoint = (): Endpoint => ({
  secret: '',
  seqs: [],
  ids: [],
  texts: new Map(),
  failed: 0,
  failedInARow: 0,
  wrong: [],
  outUntil: 0,
});

/** Takes a request as a good receiver does: verifies it, remembers it, then answers. An endpoint that fails may do so before or after. */
const receive = (
  endpoint: Endpoint,
  fails: boolean,
  text: string,
  headers: Record<string, string>,
): number | 'cut off' => {
  const mayFail = fails && endpoint.failedInARow < MOST_IN_A_ROW;
  const isOut = mayFail && (performance.now() < endpoint.outUntil || random() < FAILS);
  const how = random();
  endpoint.failedInARow = isOut ? endpoint.failedInARow + 1 : 0;
  if (isOut) endpoint.failed += 1;
  if (isOut && how < 0.4) return 500;
  let message: Change & { id: string };
  try {
    message = new Webhook(endpoint.secret).verify(text, headers) as Change & { id: string };
  } catch (error) {
    endpoint.wrong.push(`a signature: ${(error as Error).message}`);
    return 400;
  }
  if (message.id !== headers['webhook-id']) endpoint.wrong.push(`the id ${headers['webhook-id']}`);
  const { sequence } = message;
  const before = endpoint.texts.get(sequence);
  if (before !== undefined && before !== text)
    endpoint.wrong.push(`seq ${sequence} came again and says something else`);
  endpoint.texts.set(sequence, text);
  endpoint.seqs.push(sequence);
  endpoint.ids.push(message.id);
  // It has the message, and the sender cannot know: so it comes again.
  return isOut ? 'cut off' : 204;
};

const listenTo = async (endpoints: Endpoint[]): Promise<{ url: string; server: HttpServer }> => {
  const server = createServer((request, response) => {
    const number = Number(request.url?.slice(1));
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const answer = receive(
        endpoints[number] as Endpoint,
        number % 2 === 1,
        text,
        request.headers as Record<string, string>,
      );
      if (answer === 'cut off') request.socket.destroy();
      else response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

/** Now and then an endpoint that fails is out for a while. */
const outages = (endpoints: Endpoint[]): (() => void) => {
  const timer = setInterval(() => {
    const one = endpoints[oneOf([1, 3, 5, 7, 9])] as Endpoint;
    one.outUntil = performance.now() + between(...OUTAGE_MS);
  }, 4_000);
  return () => clearInterval(timer);
};

const write = async (urls: string[], person: Person, total: number): Promise<void> => {
  for (let written = 0; written < total;) {
    const size = Math.min(oneOf([1, 10, 100, 500]), total - written);
    const traces = Array.from({ length: size }, () => {
      const uid = randomUUID();
      return { uid, type: 'observation', content: `note ${uid}` };
    });
    await insist(oneOf(urls), person.key, post('/memory/push', { traces }));
    written += size;
  }
};

/** Kills instances until everybody has everything. @returns how many */
const killUntil = async (instances: Server[], kills: number, progress: () => number, say: (line: string) => void) => {
  for (let killed = 0; killed < kills;) {
    if (progress() >= 1) return killed;
    if (progress() >= (killed + 1) / (kills + 1)) {
      const victim = oneOf(instances);
      await victim.kill();
      await sleep(between(0, 500));
      await victim.start();
      killed += 1;
      say(`${Math.round(progress() * 100)}% delivered, ${killed} instances killed`);
    }
    await sleep(100);
  }
  return kills;
};

const compare = (endpoints: Endpoint[], truth: Change[], from: number): Check[] => {
  const expected = truth.filter(({ sequence }) => sequence > from);
  const lost: string[] = [];
  const wrong: string[] = [];
  let arrived = 0;
  endpoints.forEach(({ seqs, ids, texts, wrong: own }, i) => {
    arrived += seqs.length;
    for (const change of expected) {
      const text = texts.get(change.sequence);
      if (text === undefined) lost.push(`seq ${change.sequence} at endpoint ${i}`);
      else if (text !== JSON.stringify(change)) wrong.push(`seq ${change.sequence} at endpoint ${i} is another text`);
    }
    // In order: what is not sent again is the next one; what is sent again came before.
    let newest = from;
    seqs.forEach((seq, at) => {
      const next = expected[newest - from]?.sequence;
      if (seq > newest && seq !== next) wrong.push(`seq ${seq} came to endpoint ${i} after ${newest}`);
      newest = Math.max(newest, seq);
      if (ids[at] !== (JSON.parse(texts.get(seq) as string) as { id: string }).id) wrong.push(`the id of seq ${seq}`);
    });
    wrong.push(...own.map((fault) => `endpoint ${i}: ${fault}`));
  });
  return [
    check(`changes at ${ENDPOINTS} endpoints`, expected.length * ENDPOINTS, { lost, wrong }),
    check('requests in order', arrived),
  ];
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const [total, kills] = quick ? [1_000, 2] : [100_000, 12];
  const instances = await servers(place.instances(3), { ...place.env, OUTBOUND_NETWORKS: '127.0.0.0/8' });
  const urls = instances.map(({ url }) => url);
  const [first] = urls as [string];
  const person = await aPerson(first);
  const endpoints = Array.from({ length: ENDPOINTS }, anEndpoint);
  const { url, server } = await listenTo(endpoints);
  let from = 0;
  for (const [i, endpoint] of endpoints.entries()) {
    const { body } = await ok(first, person.key, post('/user/webhooks', { url: `${url}/${i}` }));
    endpoint.secret = body.secret;
    from = body.seq;
  }
  const stopOutages = outages(endpoints);
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  const slowest = (): number => Math.min(...endpoints.map(({ texts }) => texts.size)) / total;
  const mean = (): number => endpoints.reduce((sum, { texts }) => sum + texts.size, 0) / (total * ENDPOINTS);
  const writing = write(urls, person, total).then(() => say(`all written after ${seconds()} s`));
  const [killed] = await Promise.all([killUntil(instances, kills, mean, say), writing]);
  const deadline = performance.now() + CATCH_UP_MS;
  for (let last = 0; slowest() < 1 && performance.now() < deadline; await sleep(100))
    if (performance.now() - last > 20_000) {
      last = performance.now();
      say(`${Math.round(mean() * 100)}% delivered, the slowest endpoint has ${Math.round(slowest() * 100)}%`);
    }
  const took = seconds();
  stopOutages();
  const truth = await changesAfter(first, person.key, 0);
  const { body: states } = await ok(first, person.key, get('/user/webhooks'));
  const broken = await audit(first, [person]);
  await Promise.all(instances.map((one) => one.stop()));
  server.closeAllConnections();
  server.close();
  const attempts = endpoints.reduce((sum, { seqs, failed }) => sum + seqs.length + failed, 0);
  const again = endpoints.reduce((sum, { seqs, texts }) => sum + seqs.length - texts.size, 0);
  const failed = endpoints.reduce((sum, one) => sum + one.failed, 0);
  const notActive = (states as { status: string; id: string }[]).filter(({ status }) => status !== 'active');
  return {
    checks: [
      ...compare(endpoints, truth, from),
      check('webhooks still active', ENDPOINTS, { wrong: notActive.map(({ id }) => `${id} is paused`) }),
      check('ledgers verified', 1, { wrong: broken }),
      check('instances killed and started again', killed, { wrong: instances.flatMap((one) => one.accidents) }),
    ],
    facts: [
      `${total} changes to ${ENDPOINTS} endpoints in ${took} s by ${instances.length} instances (${Math.round((total * ENDPOINTS) / took)}/s);`,
      `${attempts} attempts, ${failed} failed, ${again} messages came again with the same id.`,
    ],
  };
};

export const R12: Trial = {
  id: 'R12',
  title: 'webhooks that fail, while instances are killed',
  places: ['postgres'],
  embedded: true,
  run,
};
