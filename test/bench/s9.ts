/** S9: from starting the embedded service to its first answer, on an empty and on an existing DATA_DIR; beside a bare PGlite. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import { timed, type Bench, type Measured } from './bench.ts';

const FIRST_S = 10;
const AGAIN_S = 3;

/** A process that opens the database with the same extensions and asks one thing of it. */
const BARE = `
  const { createPGlite } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/db/embedded.ts'))});
  const pglite = await createPGlite(process.argv[1]);
  await pglite.query('select 1');
  process.exit(0);`;

const run = async (_place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const rounds = quick ? 1 : 5;
  const first: number[] = [];
  const again: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < rounds; i++) {
    say(`round ${i + 1} of ${rounds}`);
    const folder = mkdtempSync(join(tmpdir(), 'almanac-start-'));
    try {
      const server = await aServer({ DATA_DIR: join(folder, 'ours') });
      first.push((await timed(() => server.start())) / 1000);
      await server.stop();
      again.push((await timed(() => server.start())) / 1000);
      await server.stop();
      const open = () =>
        execFileSync(process.execPath, ['--input-type=module', '-e', BARE, join(folder, 'ours', 'pgdata')]);
      bare.push((await timed(open)) / 1000);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return {
    figures: [
      { what: 'first start to first answer', unit: 's', target: FIRST_S, rounds: first },
      { what: 'start on an existing DATA_DIR', unit: 's', target: AGAIN_S, rounds: again },
      { what: 'bare: node opens that PGlite, select 1', unit: 's', target: null, rounds: bare },
    ],
    facts: ['The answer is that of GET /health/ready, asked for every 30 ms.'],
  };
};

export const S9: Bench = {
  id: 'S9',
  title: 'start of the embedded service',
  places: ['embedded'],
  embedded: true,
  run,
};
