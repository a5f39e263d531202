/** The alerts and the dashboard (docs/monitoring) ask only for metrics, labels and codes that /metrics has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CODES } from '../../src/common/problem-codes.ts';
import { anApp, aUser, client, type TestApp } from '../support/app.ts';
import { twin } from '../support/twin.ts';

const FOLDER = join(import.meta.dirname, '../../docs/monitoring');
const TOKEN = 'a-metrics-token-of-some-length';
/** Prometheus adds these to every metric that it scrapes. */
const ADDED = ['job', 'instance'];

type Rule = { alert: string; expr: string; annotations: { summary: string; description: string } };
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const rules = (
  parse(readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync(join(FOLDER, 'grafana-dashboard.json'), 'utf8')) as Dashboard;
const asked = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
];

/** Each metric of an expression, with the labels that it is selected by. */
const metricsIn = (expr: string): { name: string; labels: string[] }[] =>
  Array.from(
    expr.matchAll(/\b((?:almanac|nodejs|process)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/g),
    ([, name, selected]) => ({
      name: name as string,
      labels: Array.from((selected ?? '').matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g), ([, label]) => label as string),
    }),
  );

let app: TestApp;
/** The labels of each metric. */
const known = new Map<string, Set<string>>([['up', new Set()]]);

beforeAll(async () => {
  // With WORKERS some metrics of a single process are missing.
  app = await anApp({ env: { METRICS_TOKEN: TOKEN }, overrides: { siblings: twin() } });
  const user = await aUser(app);
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'one' }] }).expect(201);
  await user.get('/memory/pull?limit=no').expect(422);
  await user.agent
    .post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } })
    .set({ Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' });
  const { text } = await client(app, TOKEN).get('/metrics').expect(200);
  // A metric without values has only its TYPE line.
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      known.set(`${name}${end}`, new Set());
  for (const [, name, labels] of text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm))
    for (const [, label] of (labels ?? '').matchAll(/([a-z_]+)="/g)) known.get(name as string)?.add(label as string);
});
afterAll(() => app.close());

test('there are alerts and panels', () => {
  expect(rules.length).toBeGreaterThan(10);
  expect(panels.length).toBeGreaterThan(10);
});

describe('every expression asks for what exists', () => {
  test.each(asked)('$where: $expr', ({ expr }) => {
    const metrics = metricsIn(expr);
    expect(metrics).not.toEqual([]);
    for (const { name, labels } of metrics) {
      expect([...known.keys()]).toContain(name);
      for (const label of labels) expect([...ADDED, ...(known.get(name) ?? [])], name).toContain(label);
    }
    for (const [, codes] of expr.matchAll(/code=~?"([^"]+)"/g))
      for (const code of (codes as string).split('|')) expect(Object.keys(CODES)).toContain(code);
  });
});

test.each(rules)('$alert says what is wrong and what to do', ({ annotations: { summary, description } }) => {
  expect(summary).toMatch(/\.$/);
  expect(description).toMatch(/\.$/);
});
