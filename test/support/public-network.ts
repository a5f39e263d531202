/**
 * Plays the public network in this process: connections to 93.184.215.x go to 127.0.93.x, where a test listens, and sockets say that they
 * are connected to 93.184.215.x. Whoever judges an address sees a public one. Loaded before a service (`--import`), it also answers for
 * names: `<hex>.example.test` resolves to the addresses that its first label spells (nameOf).
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';

const PUBLIC = /^93\.184\.215\.(\d+)$/;
const PLAYED = /^127\.0\.93\.(\d+)$/;

const routed = (address: string): string => address.replace(PUBLIC, '127.0.93.$1');

/** Where a test listens to be the public address 93.184.215.n, and that address. */
export const played = (n: number) => ({ listenOn: `127.0.93.${n}`, address: `93.184.215.${n}` });

/** A name that resolves to these addresses; to the second list when it is asked again, and so on, the last one for ever. */
export const nameOf = (...answers: string[][]): string =>
  `x${Buffer.from(JSON.stringify(answers)).toString('hex')}.example.test`;

const asked = new Map<string, number>();

/** What a name of nameOf resolves to now; nothing for any other name. */
export const resolvePlayed = (host: string): string[] => {
  const spelled = /^x([0-9a-f]+)\.example\.test$/.exec(host)?.[1];
  if (spelled === undefined) return [];
  const answers = JSON.parse(Buffer.from(spelled, 'hex').toString()) as string[][];
  const time = asked.get(host) ?? 0;
  asked.set(host, time + 1);
  return answers[Math.min(time, answers.length - 1)] ?? [];
};

type Found = { address: string; family: number };
type Done = (error: Error | null, found: string | Found[], family?: number) => void;
type Lookup = (host: string, options: { all?: boolean }, done: Done) => void;

const lookupPlayed: Lookup = (host, { all }, done) => {
  const found = resolvePlayed(host).map((address) => ({ address, family: isIP(address) }));
  const [first] = found;
  if (!first) done(new Error(`ENOTFOUND ${host}`), []);
  else if (all) done(null, found);
  else done(null, first.address, first.family);
};

const rerouted =
  (lookup: Lookup): Lookup =>
  (host, options, done) =>
    lookup(host, options, (error, found, family) =>
      typeof found === 'string'
        ? done(error, routed(found), family)
        : done(
            error,
            found.map((one) => ({ ...one, address: routed(one.address) })),
            family,
          ),
    );

type Connecting = { host?: string; lookup?: Lookup };

type Patched = { connect: (...args: unknown[]) => Socket; _getpeername: () => { address?: string } };

const reroute = (): (() => void) => {
  const sockets = Socket.prototype as unknown as Patched;
  const { connect, _getpeername: peerOf } = sockets;
  sockets.connect = function (this: Socket, ...args) {
    // From net.connect the arguments come as one normalized list.
    const list = (Array.isArray(args[0]) ? args[0] : args) as [Connecting, ...unknown[]];
    const [options] = list;
    if (typeof options === 'object' && options !== null) {
      if (options.host !== undefined) options.host = routed(options.host);
      if (options.lookup) options.lookup = rerouted(options.lookup);
    }
    return connect.apply(this, args);
  };
  // socket.remoteAddress reads it.
  sockets._getpeername = function (this: Socket) {
    const peer = peerOf.call(this);
    return peer.address === undefined ? peer : { ...peer, address: peer.address.replace(PLAYED, '93.184.215.$1') };
  };
  return () => {
    sockets.connect = connect;
    sockets._getpeername = peerOf;
  };
};

/** Begins to play. @returns how to end it */
export const playPublicNetwork = (): (() => void) => reroute();

if (process.env['PLAY_PUBLIC_NETWORK']) {
  const system = dns.lookup;
  const lookup: Lookup = (host, options, done) =>
    host.endsWith('.example.test') ? lookupPlayed(host, options, done) : (system as Lookup)(host, options, done);
  (dns as { lookup: unknown }).lookup = lookup;
  syncBuiltinESMExports();
  reroute();
}
