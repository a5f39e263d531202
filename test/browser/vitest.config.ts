/** `npm run test:browser`: tests that need Chromium (Debian's package, or another whose path is in CHROMIUM). */
import { defineConfig } from 'vitest/config';
import { COMPILED } from '../support/child-processes.ts';
import { chooseDay } from '../support/today.ts';

chooseDay();
Object.assign(process.env, COMPILED);

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: 'test/support/seeds.ts',
    isolate: false,
    // Much of a test is waiting for the browser.
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
