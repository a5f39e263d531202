/** A person whose client talks to the service over a network that can fail. */
import { createClient, type Client, type ClientOptions } from '../../src/client/almanac-client.ts';
import { aUser, type TestApp, type TestUser } from './app.ts';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.ts';

export type Connection = {
  user: TestUser;
  proxy: CuttingProxy;
  connect: (options?: Partial<ClientOptions>) => Client;
};

export const aConnection = async (app: TestApp): Promise<Connection> => {
  const user = await aUser(app);
  const proxy = await cuttingProxy(app.url);
  const connect: Connection['connect'] = (options) =>
    createClient({ url: proxy.url, credential: user.token as string, ...options });
  return { user, proxy, connect };
};
