/** The guard of outgoing requests: which addresses they reach, and that the connection is made to the address that was checked. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutbound, OutboundError, type OutboundRequest } from '../../src/outbound/guarded-fetch.ts';
import { createReach, isNetwork } from '../../src/outbound/reachable-addresses.ts';
import { aCanary, aHostilePeer, answer, forEver, thenReset, type Act } from '../support/hostile-peer.ts';
import { playPublicNetwork, played } from '../support/public-network.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../support/tls.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const GET: OutboundRequest = { method: 'GET', headers: {}, timeoutMs: 5_000, maxBytes: 10_000, longer: 'fail' };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const listening = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
};
const aServer = (answer: RequestListener): Promise<number> => listening(createServer(answer));
const aSecureServer = (answer: RequestListener): Promise<number> =>
  listening(createHttpsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, answer));

const codeOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'answered',
    (error: unknown) => (error instanceof OutboundError ? error.code : String(error)),
  );

describe('an address', () => {
  const reach = createReach([]);

  test.each(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:8.8.8.8'])(
    '%s is public',
    (address) => expect(reach(address)).toBe('public'),
  );

  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local, metadata of AWS, Azure and Google'],
    ['100.64.0.1', 'CGNAT'],
    ['100.100.100.200', 'CGNAT, metadata of Alibaba'],
    ['192.0.0.192', 'reserved, metadata of Oracle'],
    ['168.63.129.16', 'public by range, the platform of Azure'],
    ['192.0.2.1', 'documentation'],
    ['198.18.0.1', 'benchmarks'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:a9fe:a9fe', 'mapped metadata'],
    ['::ffff:0:127.0.0.1', 'translated (RFC 6145)'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::a9fe:a9fe', 'NAT64 of local use'],
    ['2002:7f00:1::', '6to4'],
    ['2002:c0a8:101::1', '6to4'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'Teredo'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local, metadata of AWS'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'documentation'],
    ['100::1', 'discard'],
    ['5f00::1', 'segment routing'],
    ['3fff::1', 'documentation'],
    ['2001:2::1', 'benchmarks'],
    ['::ffff:0.0.0.0', 'mapped unspecified'],
    ['0177.0.0.1', 'octal, which Node does not connect to'],
    ['8.8.8', 'short'],
    ['134744072', 'decimal'],
    ['localhost', 'no address'],
    ['', 'no address'],
  ])('%s is refused: %s', (address) => expect(reach(address)).toBe('refused'));

  test('in a network that the operator allowed is internal, also where it is mapped', () => {
    const own = createReach(['10.1.0.0/16', 'fd12::/16']);
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1'].map(own)).toEqual(['internal', 'internal', 'internal']);
    expect(['10.2.0.1', 'fd13::1', '127.0.0.1'].map(own)).toEqual(['refused', 'refused', 'refused']);
    expect(['10.0.0.0/8', '::1/128', '10.0.0.0', '10.0.0.0/33', 'private'].map(isNetwork)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('a URL', () => {
  const strict = createOutbound({ networks: [] });
  const local = createOutbound({ networks: LOOPBACK });

  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.1/',
    'https://0/',
    'https://１２７.０.０.１/',
    'https://%31%32%37.0.0.1/',
    'https://127.0.0.1./',
    'https://127。0。0。1/',
    'https://[::]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://10.0.0.8/',
  ])('%s is refused before any request', async (url) => {
    expect(await strict.faultOf(url)).toBe('must not name an address that is not public');
    expect(await codeOf(strict.fetch(url, GET))).toBe('url_refused');
    expect(await codeOf(strict.session(url).send(GET))).toBe('url_refused');
  });

  test.each([
    ['http://example.org/', 'must begin with https://'],
    ['http://127.0.0.1/', 'must begin with https://'],
    ['ftp://example.org/', 'must be a URL that begins with https://'],
    ['file:///etc/passwd', 'must be a URL that begins with https://'],
    ['gopher://example.org/', 'must be a URL that begins with https://'],
    ['https://me:secret@example.org/', 'must not contain a user name or a password'],
    ['example.org', 'must be a URL that begins with https://'],
    ['https://', 'must be a URL that begins with https://'],
  ])('%s %s', async (url, fault) => expect(await strict.faultOf(url)).toBe(fault));

  test('with loopback allowed, http is for allowed addresses only', async () => {
    expect(await local.faultOf('http://127.0.0.1:8080/x')).toBeNull();
    expect(await local.faultOf('http://[::1]:8080/x')).toBeNull();
    expect(await local.faultOf('https://example.org/')).toBeNull();
    expect(await local.faultOf('http://8.8.8.8/')).toBe('must begin with https://');
    expect(await local.faultOf('http://10.0.0.1/')).toBe('must not name an address that is not public');
  });
});

describe('a connection', () => {
  test('is refused where any address of the host is not public', async () => {
    for (const found of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:169.254.169.254'], []]) {
      const outbound = createOutbound({ networks: [], resolve: async () => found });
      expect(await codeOf(outbound.fetch('https://hooks.example.test/', GET))).toBe('address_refused');
    }
    const lost = createOutbound({ networks: [], resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await codeOf(lost.fetch('https://hooks.example.test/', GET))).toBe('host_unknown');
  });

  test('a name is not reached by http where it resolves to a public address', async () => {
    const outbound = createOutbound({ networks: LOOPBACK, resolve: async () => ['8.8.8.8'] });
    expect(await codeOf(outbound.fetch('http://hooks.example.test/', GET))).toBe('address_refused');
  });

  test('resolves once and goes to the address that was checked, with the Host and the certificate of the name', async () => {
    const seen: { host: string | undefined; name: unknown }[] = [];
    const port = await aSecureServer((request, answer) => {
      const socket = request.socket as IncomingMessage['socket'] & { servername?: string };
      seen.push({ host: request.headers.host, name: socket.servername });
      answer.end('hello');
    });
    // The second answer would be refused: a resolver that is asked twice could rebind the name.
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const outbound = createOutbound({ networks: LOOPBACK, resolve, ca: CERTIFICATE });
    const got = await outbound.fetch(`https://hooks.example.test:${port}/x`, GET);
    expect(got).toMatchObject({ status: 200, body: Buffer.from('hello') });
    expect(seen).toEqual([{ host: `hooks.example.test:${port}`, name: 'hooks.example.test' }]);
    expect(asked).toBe(1);
    // A new connection asks again, and is refused now.
    expect(await codeOf(outbound.fetch(`https://hooks.example.test:${port}/x`, GET))).toBe('address_refused');
    expect(seen).toHaveLength(1);
  });

  test('with the certificate of another name fails', async () => {
    const port = await aSecureServer((_request, answer) => void answer.end());
    const outbound = createOutbound({ networks: LOOPBACK, resolve: async () => ['127.0.0.1'], ca: CERTIFICATE });
    expect(await codeOf(outbound.fetch(`https://other.example.org:${port}/`, GET))).toBe('connection_failed');
  });

  test('of a session is used again, and survives that the server closed it', async () => {
    let connections = 0;
    const server = createServer((_request, answer) => void answer.end());
    server.on('connection', () => (connections += 1));
    const port = await listening(server);
    const session = createOutbound({ networks: LOOPBACK }).session(`http://127.0.0.1:${port}/`);
    for (let i = 0; i < 3; i += 1) expect((await session.send(GET)).status).toBe(200);
    expect(connections).toBe(1);
    server.closeAllConnections();
    expect((await session.send(GET)).status).toBe(200);
    session.close();
  });
});

describe('a redirect', () => {
  test('is not followed in a session', async () => {
    const port = await aServer((_request, answer) => void answer.writeHead(302, { Location: '/other' }).end());
    const session = createOutbound({ networks: LOOPBACK }).session(`http://127.0.0.1:${port}/`);
    expect((await session.send(GET)).status).toBe(302);
    session.close();
  });

  test('is followed a few times by fetch, and each address is checked again', async () => {
    let target = '/end';
    const port = await aServer((request, answer) => {
      if (request.url === '/end') answer.end('the end');
      else if (request.url === '/loop') answer.writeHead(302, { Location: '/loop' }).end();
      else answer.writeHead(307, { Location: target }).end();
    });
    const outbound = createOutbound({ networks: ['127.0.0.1/32'] });
    const start = `http://127.0.0.1:${port}/start`;
    expect((await outbound.fetch(start, GET)).body.toString()).toBe('the end');
    expect(await codeOf(outbound.fetch(`http://127.0.0.1:${port}/loop`, GET))).toBe('too_many_redirects');
    for (const hostile of [
      'http://127.0.0.2/',
      'https://169.254.169.254/',
      'https://[::ffff:10.0.0.1]/',
      'http://me:secret@127.0.0.1/',
      'file:///etc/passwd',
      'http://[',
    ]) {
      target = hostile;
      expect(await codeOf(outbound.fetch(start, GET))).toBe('url_refused');
    }
  });

  test('from a public server does not lead into the operator’s networks, also where it resets the connection', async () => {
    const [stop, canary] = [playPublicNetwork(), await aCanary()];
    const { listenOn, address } = played(1);
    const peer = await aHostilePeer(listenOn, true);
    const outbound = createOutbound({
      ...{ networks: LOOPBACK, ca: CERTIFICATE },
      resolve: async (host) => (host === 'inside.example.test' ? ['127.0.0.1'] : [address]),
    });
    const hops = async (location: string, act: (text: string) => Act) => {
      peer.play('/', act(answer(302, { Location: location })));
      return codeOf(outbound.fetch(`https://hooks.example.test:${peer.port}/`, GET));
    };
    for (const act of [
      thenReset,
      (text: string): Act =>
        (client) =>
          void client.write(text),
    ]) {
      expect(await hops(`http://127.0.0.1:${canary.port}/`, act)).toBe('url_refused');
      expect(await hops(`https://127.0.0.1:${canary.port}/`, act)).toBe('url_refused');
      expect(await hops(`https://inside.example.test:${canary.port}/`, act)).toBe('address_refused');
    }
    expect(canary.reached()).toBe(0);
    // An address of the operator's networks may be asked at first, and may lead on.
    expect((await outbound.fetch(`http://127.0.0.1:${canary.port}/`, GET)).status).toBe(200);
    expect(canary.reached()).toBe(1);
    for (const one of [peer, canary]) one.close();
    stop();
  });
});

describe('an answer', () => {
  const from = async (answer: RequestListener) => {
    const port = await aServer(answer);
    return (asked: Partial<OutboundRequest> = {}) =>
      createOutbound({ networks: LOOPBACK }).fetch(`http://127.0.0.1:${port}/`, { ...GET, ...asked });
  };

  test('that is too large is refused or cut', async () => {
    const fetch = await from((_request, answer) => void answer.end('x'.repeat(20_000)));
    expect(await codeOf(fetch())).toBe('too_large');
    expect((await fetch({ longer: 'cut' })).body.length).toBeLessThanOrEqual(10_000);
  });

  test('without an end is cut where the limit is', async () => {
    const fetch = await from((_request, answer) => {
      const timer = setInterval(() => answer.write('x'.repeat(3_000)), 1);
      answer.on('close', () => clearInterval(timer));
    });
    expect(await codeOf(fetch())).toBe('too_large');
  });

  test('that does not come, or does not end, is waited for within the limit', async () => {
    const silent = await from(() => undefined);
    expect(await codeOf(silent({ timeoutMs: 100 }))).toBe('timed_out');
    const slow = await from((_request, answer) => {
      const timer = setInterval(() => answer.write('x'), 10);
      answer.on('close', () => clearInterval(timer));
    });
    expect(await codeOf(slow({ timeoutMs: 100 }))).toBe('timed_out');
  });

  test('that does not begin is waited for a shorter time, as each server of a redirect', async () => {
    const silent = await from(() => undefined);
    const { message } = (await silent({ timeoutMs: 60_000, beginsMs: 50 }).catch(
      (error: OutboundError) => error,
    )) as Error;
    expect(message).toBe('No answer began within 0.05 seconds.');
    const resolving = createOutbound({ networks: LOOPBACK, resolve: () => new Promise(() => undefined) });
    expect(await codeOf(resolving.fetch('https://a.example.test/', { ...GET, timeoutMs: 50 }))).toBe('timed_out');
    expect(await codeOf(resolving.session('https://a.example.test/').send({ ...GET, timeoutMs: 50 }))).toBe(
      'timed_out',
    );
  });

  test.each<[string, Act, string]>([
    [
      'a change of protocol nobody asked for',
      (client) => void client.write('HTTP/1.1 101 Now\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'closed',
    ],
    [
      'interim answers without an end',
      forEver('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)),
      'too many interim answers',
    ],
    ['headers without an end', forEver('HTTP/1.1 200 OK\r\n', 'X-More: of it\r\n'.repeat(500)), 'HPE_HEADER_OVERFLOW'],
    ['pieces of a byte', forEver(CHUNKED, '1\r\nx\r\n'.repeat(5_000)), 'too many small pieces'],
    ['extensions of chunks', forEver(CHUNKED, `1;${'x'.repeat(8_000)}\r\nx\r\n`), 'too many small pieces'],
  ])('of %s ends at once', async (_what, act, why) => {
    const peer = await aHostilePeer('127.0.0.1', false);
    peer.play('/', act);
    const outbound = createOutbound({ networks: LOOPBACK });
    // Far longer than the test may take: no limit of time ends it.
    const asked: OutboundRequest = { ...GET, timeoutMs: 600_000, maxBytes: 16 * 1024 * 1024 };
    const { message } = (await outbound
      .fetch(`http://127.0.0.1:${peer.port}/`, asked)
      .catch((error: unknown) => error)) as Error;
    expect(message).toContain(why);
    peer.close();
  });

  test('that is compressed unasked is refused', async () => {
    const fetch = await from((request, answer) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      answer.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not really');
    });
    expect(await codeOf(fetch())).toBe('encoding_refused');
  });

  test('from nobody is a failure, and an abort ends the wait', async () => {
    const port = await aServer(() => undefined);
    const outbound = createOutbound({ networks: LOOPBACK });
    const aborting = new AbortController();
    const waiting = codeOf(outbound.fetch(`http://127.0.0.1:${port}/`, { ...GET, signal: aborting.signal }));
    setTimeout(() => aborting.abort(), 50);
    expect(await waiting).toBe('connection_failed');
    servers[0]?.closeAllConnections();
    servers.pop()?.close();
    expect(await codeOf(outbound.fetch(`http://127.0.0.1:${port}/`, GET))).toBe('connection_failed');
  });
});
