/** `npm run test:browser`: tests that need Chromium (Debian's package, or another whose path is in CHROMIUM). */
import { defineConfig } from 'vitest/config';
import { chooseDay } from '../support/today.ts';

chooseDay();

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: 'test/support/seeds.ts',
    isolate: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
