/** One runner for domain, API and property tests; every API file gets a database of its own (test/support/db.ts). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/domain/**/*.test.ts', 'test/api/**/*.test.ts', 'test/readers/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
