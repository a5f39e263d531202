/** LangGraph's PostgresStore, installed from npm beside the project when it is measured: never part of it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PACKAGE = '@langchain/langgraph-checkpoint-postgres';

/** What of its BaseStore is used. */
export type PeerStore = {
  setup: () => Promise<void>;
  stop: () => Promise<void>;
  put: (namespace: string[], key: string, value: Record<string, unknown>) => Promise<void>;
  get: (namespace: string[], key: string) => Promise<unknown>;
  search: (
    prefix: string[],
    options: { filter?: Record<string, string>; query?: string; limit: number },
  ) => Promise<unknown[]>;
};

/** @returns an open store with its tables, and the version that was installed */
export const openPeer = async (
  database: string,
  connections: number,
): Promise<{ store: PeerStore; version: string }> => {
  const folder = join(tmpdir(), 'almanac-peers');
  const home = join(folder, 'node_modules', PACKAGE);
  if (!existsSync(home)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', PACKAGE], { cwd: folder, stdio: 'ignore' });
  }
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  const module = (await import(pathToFileURL(join(home, 'dist/store/index.js')).href)) as {
    PostgresStore: new (config: { connectionOptions: object }) => PeerStore;
  };
  const store = new module.PostgresStore({ connectionOptions: { connectionString: database, max: connections } });
  await store.setup();
  return { store, version };
};
