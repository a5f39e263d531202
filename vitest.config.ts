/** One runner for domain, API and property tests; every API file gets a database of its own (test/support/db.ts). */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILED } from './test/support/child-processes.ts';
import { chooseDay } from './test/support/today.ts';

chooseDay();
// For the threads of the planner; tests give it to the programs that they start.
Object.assign(process.env, COMPILED);

export default defineConfig({
  test: {
    include: [
      'test/*.test.ts',
      'test/domain/**/*.test.ts',
      'test/api/**/*.test.ts',
      'test/client/**/*.test.ts',
      'test/readers/**/*.test.ts',
    ],
    setupFiles: 'test/support/seeds.ts',
    // Files share a process, so the service and the embedded Postgres are compiled once; each file has a database of its own.
    isolate: false,
    // Vitest itself needs little of a core. Many tests wait, so that two cores have work for three workers.
    maxWorkers: Math.max(3, availableParallelism()),
    // Where four programs share the two cores, the longest tests take more than 30 s.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
