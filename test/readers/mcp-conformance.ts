/**
 * Runs the official conformance suite of MCP against a server of this repository, for both eras of the protocol. The suite is no
 * dependency (52 MB): `npm install --prefix <folder> @modelcontextprotocol/conformance@0.2.0-alpha.12`, then
 * `npm run conformance -- <folder>`. A proxy adds the key, since the suite sends none.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { anApp, aUser } from '../support/app.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'];

/**
 * Why a scenario does not apply. Those of the suite's own sample server call tools, resources and prompts that only it has; each
 * of the others names what Almanac does not offer.
 */
const NOT_APPLICABLE: [scenario: RegExp, why: string][] = [
  [/^tools-call-(simple-text|image|audio|embedded-resource|mixed-content|error)$/, 'calls tools of the sample server'],
  [/^tools-call-with-(logging|progress)$/, 'calls tools of the sample server; results come at once'],
  [/^tools-call-(sampling|elicitation)$|^elicitation-|^input-required-/, 'Almanac asks the host for nothing'],
  [/^resources-(read-text|read-binary|templates-read)$/, 'reads resources of the sample server'],
  [/^resources-(un)?subscribe$/, 'there are no sessions; 2026-07-28 subscribes by subscriptions/listen'],
  [/^prompts-get-/, 'gets prompts of the sample server'],
  [/^(completion-complete|logging-set-level)$/, 'capability that Almanac does not declare'],
  [/^(json-schema-2020-12|http-custom-header-server-validation)$/, 'lists a tool of the sample server'],
  [
    /^(server-session-lifecycle|server-sse-polling|server-sse-multiple-streams)$/,
    'there are no sessions and no stream by GET',
  ],
];

/** Checks of scenarios that apply, which call tools of the sample server (`test_missing_capability` and others). */
const NOT_APPLICABLE_CHECKS = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]);

const app = await anApp();
const user = await aUser(app);
const { port } = app.server.address() as AddressInfo;

const forward = (req: IncomingMessage, res: ServerResponse): void => {
  const headers = { ...req.headers, authorization: `Bearer ${user.agent.token}` };
  const sent = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  req.pipe(sent);
  res.on('close', () => sent.destroy());
  sent.on('error', () => res.destroy());
};
const proxy = createServer(forward).listen(0, '127.0.0.1');
await once(proxy, 'listening');
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;

const suite = join(process.argv[2] ?? '.', 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const listed = spawnSync(process.execPath, [suite, 'list', '--server'], { encoding: 'utf8' }).stdout;
const scenarios = [...listed.matchAll(/^ {2}- (\S+) \[([^\]]+)\]$/gm)].map(([, name = '', on = '']) => ({ name, on }));

type Result = { passed: boolean; failures: string[]; counts: string };

const runOne = async (scenario: string, revision: string): Promise<Result> => {
  const args = [suite, 'server', '--url', url, '--scenario', scenario, '--spec-version', revision];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
  const [code] = (await once(child, 'close')) as [number];
  const plain = stripVTControlCharacters(text);
  const failures = [...plain.matchAll(/\[([\w-]+) *\] FAILURE (.*)/g)].map(([, id = '', why = '']) => `${id}: ${why}`);
  const isKnown = (failure: string): boolean => NOT_APPLICABLE_CHECKS.has(failure.split(':')[0] ?? '');
  const passed = code === 0 || (failures.length > 0 && failures.every(isKnown));
  return { passed, failures, counts: /Passed: [^\n]*/.exec(plain)?.[0] ?? '' };
};

let failed = 0;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
for (const revision of REVISIONS)
  for (const { name } of scenarios.filter(({ on }) => on.split(',').includes(revision))) {
    const why = NOT_APPLICABLE.find(([pattern]) => pattern.test(name))?.[1];
    if (why) {
      say(`${revision} ${name}: does not apply (${why})`);
      continue;
    }
    const { passed, failures, counts } = await runOne(name, revision);
    if (!passed) failed++;
    say(`${revision} ${name}: ${passed ? 'passed' : 'FAILED'}. ${counts}`);
    for (const failure of failures) say(`  ${failure}`);
  }
proxy.close();
await app.close();
process.exitCode = failed ? 1 : 0;
