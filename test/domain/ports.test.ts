/** Services under test are reached at a port that nobody else gets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/ports.ts';

const MANY = 300;
const many = (): Promise<number[]> => Promise.all(Array.from({ length: MANY }, freePort));

const OTHER = `
  const { freePort } = await import(process.argv[1]);
  console.log(JSON.stringify(await Promise.all(Array.from({ length: ${MANY} }, freePort))));
  setInterval(() => {}, 1000);
`;

test('two processes that choose ports at the same time choose others, outside of the range of the system', async () => {
  const module = join(import.meta.dirname, '../support/ports.ts');
  const other = spawn(process.execPath, ['--input-type=module', '-e', OTHER, module], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(other.stdout.setEncoding('utf8'), 'data')) as [string];
  const ports = [...(JSON.parse(text) as number[]), ...(await many())];
  other.kill();
  expect(new Set(ports).size).toBe(2 * MANY);
  const range = '/proc/sys/net/ipv4/ip_local_port_range';
  const first = existsSync(range) ? Number(readFileSync(range, 'utf8').split('\t')[0]) : 49_152;
  expect(Math.max(...ports)).toBeLessThan(first);
});
