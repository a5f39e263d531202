/** The cases of R17: what a hostile peer, or whoever chooses an address, tries. */
import { gzipSync } from 'node:zlib';
import { answer, forEver, thenReset, type Act, type HostilePeer } from '../support/hostile-peer.ts';
import { nameOf, played } from '../support/public-network.ts';

export type Via = 'fetch' | 'session';
/** `open` is the embedded default: loopback may be reached, but no public server may lead there. `closed` allows nothing but public addresses. */
export type Policy = 'open' | 'closed';
export type Case = { what: string; url: string; via: Via; policy: Policy; times: number };

export const PUBLIC = played(1);

/** The canary's host in every form that a URL or a resolver may have. */
const LOCAL_HOSTS = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
  ],
  ...['%31%32%37.0.0.1', '１２７.０.０.１', '127。0。0。1', '0', '0.0.0.0', 'me:secret@127.0.0.1', '127.0.0.1%2f'],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:7f00:1]',
  ],
  ...['[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
  ...['[fe80::1%25lo]', '[::1%25lo]', 'localhost', 'LOCALHOST.', 'a.localhost'],
];
const LOCAL_ADDRESSES = [
  ...['127.0.0.1', '127.255.0.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '::127.0.0.1', '::ffff:0:7f00:1'],
  ...['64:ff9b::7f00:1', '2002:7f00:1::', 'fe80::1%lo', '0177.0.0.1', '127.1'],
];
/** What a resolver answers one time after the other. */
const REBINDINGS = LOCAL_ADDRESSES.flatMap((local): string[][][] => [
  [[local]],
  [[PUBLIC.address], [local]],
  [[local], [PUBLIC.address]],
  [[PUBLIC.address, local]],
  [[local, PUBLIC.address]],
  [[PUBLIC.address], [PUBLIC.address], [local]],
]);

const STATUSES = [301, 302, 303, 307, 308];
/** How a connection ends after an answer. */
const ENDINGS: Record<string, (text: string) => Act> = {
  'keeps the connection': (text) => (client) => void client.write(text),
  'ends it': (text) => (client) => void client.end(text),
  'resets it': thenReset,
  'cuts it': (text) => (client, raw) => void client.write(text, () => raw.destroy()),
};

/** Redirects and addresses that lead to the canary. In the order of the list each of them begins with no connection. */
export const reachCases = (peer: HostilePeer, canaryPort: number): Case[] => {
  const cases: Case[] = [];
  const add = (what: string, url: string, vias: Via[], policies: Policy[], times = 1): void => {
    for (const via of vias) for (const policy of policies) cases.push({ what, url, via, policy, times });
  };
  const from = `https://${nameOf([PUBLIC.address])}:${peer.port}`;
  const locations = [
    ...LOCAL_HOSTS.flatMap((host) => [`http://${host}:${canaryPort}/`, `https://${host}:${canaryPort}/`]),
    ...LOCAL_ADDRESSES.map((address) => `https://${nameOf([address])}:${canaryPort}/`),
    `http://${nameOf(['127.0.0.1'])}:${canaryPort}/`,
    `//127.0.0.1:${canaryPort}/`,
  ];
  let paths = 0;
  const redirect = (what: string, act: Act): void => {
    const path = `/reach${(paths += 1)}`;
    peer.play(path, act);
    add(`a public server that ${what}`, from + path, ['fetch'], ['open', 'closed']);
  };
  for (const [n, location] of locations.entries())
    for (const [how, ending] of Object.entries(ENDINGS)) {
      const status = STATUSES[n % STATUSES.length] as number;
      redirect(`redirects (${status}) to ${location} and ${how}`, ending(answer(status, { Location: location })));
    }
  const text = answer(302, { Location: `http://127.0.0.1:${canaryPort}/` }, 'moved');
  for (let at = 1; at <= text.length; at += 1)
    for (const how of ['resets it', 'cuts it'])
      redirect(`${how} after byte ${at} of a redirect`, (ENDINGS[how] as (text: string) => Act)(text.slice(0, at)));
  // The same path is asked twice, the second time over the address of the first.
  const hop = `/hop`;
  peer.play(hop, (client) => void client.write(answer(302, { Location: `http://127.0.0.1:${canaryPort}/` })));
  redirect('redirects twice, the second time inwards', thenReset(answer(302, { Location: hop })));
  for (const host of LOCAL_HOSTS)
    for (const scheme of ['http', 'https'])
      add(`the address ${scheme}://${host}`, `${scheme}://${host}:${canaryPort}/`, ['fetch', 'session'], ['closed']);
  for (const answers of REBINDINGS) {
    const what = `a name that resolves to ${JSON.stringify(answers)}`;
    for (const scheme of ['http', 'https'])
      add(what, `${scheme}://${nameOf(...answers)}:${canaryPort}/`, ['fetch', 'session'], ['closed'], 3);
  }
  return cases;
};

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n\r\n';

/** Sends a piece every 20 ms, for ever. */
const slowly =
  (beginning: string, piece: string): Act =>
  (client) => {
    client.write(beginning);
    const timer = setInterval(() => client.write(piece), 20);
    client.on('close', () => clearInterval(timer));
  };

const BOMB = gzipSync(Buffer.alloc(10 * 1024 * 1024, 'x')).toString('latin1');
const bomb =
  (header: string): Act =>
  (client) =>
    void client.end(Buffer.from(`HTTP/1.1 200 OK\r\n${header}: gzip\r\nConnection: close\r\n\r\n${BOMB}`, 'latin1'));

/** Answers that take time, memory or work. */
export const ENDLESS: Record<string, Act> = {
  'never answers': () => undefined,
  'sends a byte of the status line at a time': slowly('', 'H'),
  'sends a header at a time': slowly('HTTP/1.1 200 OK\r\n', 'X: y\r\n'),
  'sends a byte of the body at a time': slowly(OK, 'x'),
  'sends a chunk of a byte at a time': slowly(CHUNKED, '1\r\nx\r\n'),
  'sends a trailer at a time': slowly(`${CHUNKED}0\r\n`, 'X: y\r\n'),
  'sends an interim answer at a time': slowly('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'sends headers without an end': forEver('HTTP/1.1 200 OK\r\n', 'X-More: of it\r\n'.repeat(500)),
  'sends one header without an end': forEver('HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(8_000)),
  'sends trailers without an end': forEver(`${CHUNKED}0\r\n`, 'X-More: of it\r\n'.repeat(500)),
  'sends interim answers without an end': forEver('', 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(500)),
  'sends a body without an end': forEver(OK, 'x'.repeat(64_000)),
  'sends pieces of a byte without an end': forEver(CHUNKED, '1\r\nx\r\n'.repeat(5_000)),
  'sends extensions of chunks without an end': forEver(CHUNKED, `1;${'x'.repeat(15_000)}\r\nx\r\n`),
  'announces more than it sends': (client) => void client.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx'),
  'changes the protocol': (client) =>
    void client.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello'),
  'sends a bomb as the content': bomb('Content-Encoding'),
  'sends a bomb as the transfer': bomb('Transfer-Encoding'),
  'redirects to itself': (client) => void client.write(answer(302, { Location: '?' })),
  'answers what is no HTTP': forEver('220 mail.example.test ESMTP\r\n', '\0'.repeat(1_000)),
};

export const endlessCases = (peer: HostilePeer): Case[] =>
  Object.entries(ENDLESS).flatMap(([what, act], n) => {
    peer.play(`/endless${n}`, act);
    const url = `https://${nameOf([PUBLIC.address])}:${peer.port}/endless${n}`;
    return (['fetch', 'session'] as const).map((via): Case => ({
      ...{ what: `a server that ${what}, by ${via}`, url, via },
      ...{ policy: 'closed', times: 1 },
    }));
  });
