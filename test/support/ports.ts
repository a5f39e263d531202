/**
 * Ports for processes that listen some time after their port was chosen, and again after they were killed. Meanwhile the system gives
 * any port of its own range (from 32768 on Linux) to others, who would then answer in their place. These are below that range, and a
 * listener on the next port claims each of them as long as this process lives.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const [FIRST, END] = [12_000, 32_000];

/** @returns null where somebody else listens there */
const listener = async (port: number): Promise<Server | null> => {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
};

const closed = async (server: Server): Promise<void> => {
  server.close();
  await once(server, 'close');
};

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + 2 * randomInt((END - FIRST) / 2);
    const claim = await listener(port + 1);
    if (!claim) continue;
    const probe = await listener(port);
    if (probe) {
      await closed(probe);
      claim.unref();
      return port;
    }
    await closed(claim);
  }
};
