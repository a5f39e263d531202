/** A network that fails when a test says so: a TCP proxy before a service, which drops connections, answers and sockets. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type CuttingProxy = {
  url: string;
  /** Drops all connections. */
  cut: () => void;
  /** While down, it accepts no connection. */
  setDown: (down: boolean) => void;
  /** Drops the next connections when their answer begins, so the service has done what was asked. */
  loseAnswers: (count: number) => void;
  /** Drops all connections whenever the service has sent so many more pieces. Unlike a timer, this lets slow machines get on. */
  cutEvery: (pieces: number) => void;
  /** Drops every WebSocket handshake, as some company networks do. */
  refuseSockets: () => void;
  /** How often it dropped connections that were open. */
  cuts: () => number;
  close: () => Promise<void>;
};

export const cuttingProxy = async (target: string): Promise<CuttingProxy> => {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let down = false;
  let losing = 0;
  let withoutSockets = false;
  let every = Infinity;
  let pieces = 0;
  let cuts = 0;

  const drop = (...sockets: Socket[]): void => {
    for (const socket of sockets) {
      open.delete(socket);
      socket.resetAndDestroy();
    }
  };

  const cut = (): void => {
    if (open.size) cuts++;
    drop(...open);
  };

  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (down) return drop(client);
    const service = connect(Number(port), hostname);
    open.add(client);
    service.on('error', () => drop(client));
    client.on('data', (chunk) => {
      if (withoutSockets && chunk.toString('latin1').toLowerCase().includes('upgrade: websocket'))
        drop(client, service);
      else service.write(chunk);
    });
    service.on('data', (chunk) => {
      if (++pieces % every === 0) cut();
      else if (losing > 0) {
        losing--;
        cuts++;
        drop(client, service);
      } else client.write(chunk);
    });
    client.on('close', () => {
      open.delete(client);
      service.destroy();
    });
    service.on('close', () => client.end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    cutEvery: (count) => {
      every = count;
    },
    setDown: (value) => {
      down = value;
    },
    loseAnswers: (count) => {
      losing = count;
    },
    refuseSockets: () => {
      withoutSockets = true;
    },
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        drop(...open);
        server.close(() => resolve());
      }),
  };
};
