/** A server that answers a request byte by byte as a test says, over TLS or not, and a canary that counts who reaches it. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from './tls.ts';

/** What the peer does with a connection on which a request has arrived. `raw` is the TCP connection below TLS. */
export type Act = (client: Socket, raw: Socket) => void;

const listening = async (server: Server, listenOn: string, port = 0): Promise<number> => {
  server.listen(port, listenOn);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** An answer with a body, whole. */
export const answer = (status: number, headers: Record<string, string>, body = ''): string =>
  [
    `HTTP/1.1 ${status} Played`,
    ...Object.entries({ 'Content-Length': String(Buffer.byteLength(body)), ...headers }).map(([k, v]) => `${k}: ${v}`),
    '',
    body,
  ].join('\r\n');

/** Sends a beginning, then the same piece for ever, as fast as it is read. */
export const forEver =
  (beginning: string, piece: string): Act =>
  (client) => {
    const bytes = Buffer.from(piece);
    const go = (): void => {
      while (!client.destroyed && client.write(bytes));
    };
    client.on('drain', go);
    client.write(beginning);
    go();
  };

/** Sends a text, then resets the connection (RST). */
export const thenReset =
  (text: string | Buffer): Act =>
  (client, raw) =>
    void client.write(text, () => raw.resetAndDestroy());

export const aHostilePeer = async (listenOn: string, secure: boolean) => {
  const acts = new Map<string, Act>();
  const open = new Set<Socket>();
  const server = createServer((raw) => {
    open.add(raw);
    const client = secure ? new TLSSocket(raw, { isServer: true, key: PRIVATE_KEY, cert: CERTIFICATE }) : raw;
    for (const socket of [raw, client]) socket.on('error', () => raw.destroy());
    raw.on('close', () => {
      open.delete(raw);
      client.destroy();
    });
    client.on('data', (data: Buffer) => {
      const path = /^[A-Z]+ (\S+) HTTP/.exec(data.toString('latin1'))?.[1];
      // The rest of a request's body is not looked at.
      if (path !== undefined) (acts.get(path) ?? ((one) => void one.end(answer(404, {}))))(client, raw);
    });
  });
  const port = await listening(server, listenOn);
  return {
    port,
    play: (path: string, act: Act): void => void acts.set(path, act),
    close: (): void => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
};

export type HostilePeer = Awaited<ReturnType<typeof aHostilePeer>>;

/** Listens where nobody may come, on 127.0.0.1 and on ::1 where the machine has it, and counts connections. */
export const aCanary = async () => {
  let reached = 0;
  const visited = (socket: Socket): void => {
    reached += 1;
    socket.on('error', () => socket.destroy());
    socket.end(answer(200, {}, 'what nobody may read'));
  };
  const servers = [createServer(visited), createServer(visited)];
  const port = await listening(servers[0] as Server, '127.0.0.1');
  await listening(servers[1] as Server, '::1', port).catch(() => undefined);
  return {
    port,
    reached: (): number => reached,
    close: (): void => {
      for (const server of servers) server.close();
    },
  };
};
