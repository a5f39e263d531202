/** Listens on the service's port, or explains why that fails and what to do. */
import { createServer, type Server } from 'node:net';
import type { Config } from './config.ts';

type Address = Pick<Config, 'HOST' | 'PORT'>;

const REMEDIES: Record<string, (address: Address) => string> = {
  EADDRINUSE: ({ PORT }) =>
    `another process uses the port; stop it, or choose another port, for example PORT=${PORT + 1}`,
  EACCES: () => 'this port needs privileges; choose one from 1024 on (PORT)',
  EADDRNOTAVAIL: () => 'this machine does not have the address; correct HOST',
  ENOTFOUND: () => 'the name is unknown; correct HOST',
};

/** @throws Error with a message for people */
export const listen = (server: Server, address: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const remedy = REMEDIES[error.code ?? '']?.(address) ?? error.message;
      reject(
        new Error(`Almanac cannot listen on HOST ${address.HOST}, PORT ${address.PORT}: ${remedy} (${error.code}).`),
      );
    };
    server.once('error', failed);
    server.listen(address.PORT, address.HOST, () => {
      server.off('error', failed);
      resolve();
    });
  });

/** Checks the port before anything is opened or created. @throws as listen() */
export const checkPort = async (address: Address): Promise<void> => {
  const probe = createServer();
  await listen(probe, address);
  await new Promise((resolve) => {
    probe.close(resolve);
  });
};
