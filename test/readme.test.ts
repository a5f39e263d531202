/** The story of README.md, run as it is written: each block of commands, and what README shows of its output. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp } from './support/app.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const story = /^### The story, with curl$([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
/** Commands, and the output that follows them, if README shows one. */
const BLOCKS = [...story.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```(?:json)?\n([\s\S]*?)^```\n)?/gm)].map(
  ([, commands = '', output]) => ({ commands, output }),
);
const END = '---- end of block ----';

let app: TestApp;
let outputs: string[];
beforeAll(async () => {
  app = await anApp();
  const { token } = await aKey(app, await aUser(app, { timezone: 'UTC' }), 'user');
  const script = BLOCKS.map(({ commands }) =>
    commands.replace('alm_user_...', token as string).replace('http://127.0.0.1:8080', app.url),
  ).join(`\necho '${END}'\n`);
  const { stdout } = await promisify(execFile)('bash', ['-ec', script], { timeout: 60_000 });
  outputs = stdout.split(`${END}\n`);
});
afterAll(() => app.close());

/** `...` stands for anything, and a line may be broken anywhere. */
const pattern = (shown: string): RegExp => {
  const parts = shown
    .trim()
    .split('...')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(/\s+/g, '\\s*'));
  return new RegExp(`^\\s*${parts.join('[\\s\\S]*?')}\\s*$`);
};

test('it has the steps of a first day', () => {
  expect(BLOCKS.length).toBeGreaterThan(8);
  expect(BLOCKS.filter(({ output }) => output !== undefined).length).toBeGreaterThan(7);
});

test.each(BLOCKS.map(({ commands, output }, i) => [commands.split('\n')[0], output, i] as const))(
  '%s shows what README says',
  (_command, output, i) => {
    if (process.env['SHOW_OUTPUTS']) process.stdout.write(`${outputs[i]}\n=====\n`);
    if (output === undefined) expect(outputs[i]?.trim()).toBe('');
    else expect(outputs[i]).toMatch(pattern(output));
  },
);
