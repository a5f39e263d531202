/** S10: memory of the idle service, after its start and again after some use; beside a bare node process. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, ok, post } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import type { Bench, Measured } from './bench.ts';
import { resident } from './memory.ts';

const TARGET_MIB = 120;

const bareNode = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', "require('node:http').createServer().listen(0, '127.0.0.1')"]);
  await sleep(2_000);
  const mib = resident(child.pid as number);
  child.kill();
  return mib;
};

const someUse = async (url: string): Promise<void> => {
  const { key } = await aPerson(url);
  for (let i = 0; i < 200; i++) {
    await ok(
      url,
      key,
      post('/memory/push', { traces: [{ type: 'observation', content: `Note ${i} about the garden.` }] }),
    );
    await ok(url, key, post('/memory/search', { query: 'garden' }));
  }
  await ok(url, key, post('/chat/respond', { prompt: 'Plan an hour of deep work tomorrow morning' }));
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [rounds, idle] = quick ? [1, 2_000] : [3, 15_000];
  const fresh: number[] = [];
  const used: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < rounds; i++) {
    say(`round ${i + 1} of ${rounds}`);
    const server = await aServer(place.env);
    await server.start();
    await sleep(idle);
    fresh.push(resident(server.pid() as number));
    await someUse(server.url);
    await sleep(idle);
    used.push(resident(server.pid() as number));
    await server.stop();
    bare.push(await bareNode());
  }
  return {
    figures: [
      {
        what: 'resident, idle after start',
        unit: 'MiB',
        target: place.kind === 'postgres' ? TARGET_MIB : null,
        rounds: fresh,
      },
      { what: 'resident, idle after some use', unit: 'MiB', target: null, rounds: used },
      { what: 'bare: node with an HTTP server', unit: 'MiB', target: null, rounds: bare },
    ],
    facts: [`Idle for ${idle / 1000} s before each reading; some use is 400 requests and one prompt.`],
  };
};

export const S10: Bench = {
  id: 'S10',
  title: 'memory of the idle service',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
