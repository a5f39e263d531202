/**
 * Starts the service from a cache of its compiled code, which halves the time of a start and saves 35 MiB. The cache is beside the
 * packages, where only whoever installs them can write. This file is JavaScript, because for a TypeScript entry Node would load its
 * TypeScript compiler, 12 MiB, before any cache could be enabled.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

/** What a process needs that serves, on either database. */
const MODULES = [
  './main.ts',
  './config.ts',
  './environment.ts',
  './listen.ts',
  './serve.ts',
  './cluster.ts',
  '../db/embedded.ts',
  '../mcp/mcp-service.ts',
  '../agent/prompt/understand.ts',
];

const compile = async () => {
  for (const module of MODULES) await import(module);
  flushCompileCache();
};

enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/almanac'));
if (process.argv[2] === 'compile') {
  await compile();
  process.exit(0);
}
// The first start compiles in a process of its own, which takes the memory of the compiler with it.
const cache = getCompileCacheDir(); // undefined where it cannot be written
if (cache && !readdirSync(cache).length)
  spawnSync(process.execPath, [join(import.meta.dirname, 'main.js'), 'compile'], { stdio: 'ignore' });
const { start } = await import('./main.ts');
await start();
