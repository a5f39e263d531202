/** One runner for domain, API and property tests; every API file gets a database of its own (test/support/db.ts). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/domain/**/*.test.ts', 'test/api/**/*.test.ts', 'test/readers/**/*.test.ts'],
    // Files share a process, so the service and the embedded Postgres are compiled once; each file has a database of its own.
    isolate: false,
    // Vitest leaves one core to itself, which is half of a machine with two, and needs little of it.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
