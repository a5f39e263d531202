/** `npm run test:adapters`: the adapters in examples, with the packages that they adapt to (146 MB, which npm ci leaves out). */
import { defineConfig } from 'vitest/config';
import { chooseDay } from '../support/today.ts';

chooseDay();

export default defineConfig({
  test: { include: ['test/examples/**/*.test.ts'], isolate: false, testTimeout: 90_000, hookTimeout: 300_000 },
});
