/**
 * Each alert of docs/monitoring fires and stops, tried by promtool on the series that /metrics has: of one process, and of two
 * whose figures are added (WORKERS=2).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Siblings } from '../../src/process/cluster.ts';
import { anApp, aUser, client } from '../support/app.ts';
import { twin } from '../support/twin.ts';

const ALERTS = join(import.meta.dirname, '../../docs/monitoring/alerts.yaml');
const TOKEN = 'a-metrics-token-of-some-length';
const ADDED = { instance: 'almanac-1:8080', job: 'almanac' };
/** The slowest alert fires after so many minutes. */
const LONG = 400;

type Rule = { alert: string; labels: Record<string, string>; annotations: Record<string, string> };
const rules = (parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap((g) => g.rules);

/** Series by name and labels, with their values each minute in promtool's notation. */
type Series = Record<string, string>;
type Case = {
  alert: string;
  why: string;
  series: Series;
  /** The minute when it fires, null where it must not, and the minute when it fires no more. */
  fires: number | null;
  stops: number;
  /** What the labels of the alert have beside its severity. */
  labels?: Record<string, string>;
  value?: number;
};

const requests = (status: number, le?: string): string =>
  `almanac_http_request_duration_seconds_${le ? `bucket{le="${le}",` : 'count{'}method="GET",route="/memory/pull",status="${status}"}`;
const INSTANCE = { instance: ADDED.instance };

const CASES: Case[] = [
  { alert: 'AlmanacDown', why: 'no answer', series: { up: '0x10 1x60' }, fires: 5, stops: 20, labels: ADDED },
  {
    ...{ alert: 'AlmanacDatabaseAway', why: 'no database' },
    ...{ series: { almanac_database_up: '0x10 1x60' }, fires: 5, stops: 20, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacReadOnly', why: 'a full disk' },
    ...{ series: { almanac_database_read_only: '1x10 0x60' }, fires: 5, stops: 20, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacFails', why: '5 % of the requests fail' },
    ...{ series: { [requests(200)]: '0+100x80', [requests(503)]: '0+5x20 100x60' }, labels: INSTANCE },
    ...{ fires: 15, stops: 40 },
  },
  {
    ...{ alert: 'AlmanacSlow', why: 'half of the requests take more than a second' },
    series: { [requests(200, '1')]: '0+50x30 1500x60', [requests(200, '+Inf')]: '0+100x30 3000x60' },
    ...{ fires: 25, stops: 50, labels: INSTANCE },
  },
  {
    ...{ alert: 'AlmanacExecutorLate', why: 'two minutes' },
    ...{ series: { almanac_executor_lag_seconds: '120x10 0x60' }, fires: 5, stops: 20, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacWaitsForConnections', why: 'thirty requests wait' },
    series: { 'almanac_database_connections{state="waiting"}': '30x10 0x60' },
    ...{ fires: 8, stops: 20, labels: { ...ADDED, state: 'waiting' } },
  },
  {
    ...{ alert: 'AlmanacBlocked', why: '400 ms' },
    ...{ series: { nodejs_eventloop_lag_p99_seconds: '0.4x10 0.01x60' }, fires: 8, stops: 20, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacMemory', why: 'one process with 2 GB' },
    ...{ series: { almanac_process_memory_max_bytes: '2000000000x30 200000000x60' } },
    ...{ fires: 20, stops: 40, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacMemory', why: 'two processes with 1.2 GB each' },
    series: { process_resident_memory_bytes: '2400000000x60', almanac_process_memory_max_bytes: '1200000000x60' },
    ...{ fires: null, stops: 40 },
  },
  {
    ...{ alert: 'AlmanacRestarts', why: 'the service started again four times' },
    ...{ series: { almanac_start_time_seconds: '1 2 3 4 5x80' }, fires: 6, stops: 50, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacRestarts', why: 'four workers were replaced' },
    ...{ series: { almanac_worker_restarts_total: '0 1 2 3 4x80' }, fires: 6, stops: 50, labels: ADDED },
  },
  {
    ...{ alert: 'AlmanacRestarts', why: 'three workers were replaced' },
    ...{ series: { almanac_worker_restarts_total: '0 1 2 3x80' }, fires: null, stops: 50 },
  },
  {
    ...{ alert: 'AlmanacGuesses', why: 'ten a second' },
    series: { 'almanac_problems_total{code="unauthenticated"}': '0+600x30 18000x60' },
    ...{ fires: 25, stops: 60, labels: INSTANCE },
  },
  {
    ...{ alert: 'AlmanacRefusesTooMuch', why: 'a tenth of the requests' },
    series: {
      'almanac_problems_total{code="too_many_requests"}': '0+10x30 300x60',
      [requests(200)]: '0+90x90',
      [requests(429)]: '0+10x30 300x60',
    },
    ...{ fires: 25, stops: 60, labels: INSTANCE },
  },
  {
    ...{ alert: 'AlmanacWebhooksFail', why: 'two webhooks' },
    ...{ series: { 'almanac_webhooks{state="failing"}': '2x400 0x60' }, fires: 370, stops: 420, value: 2 },
  },
  {
    ...{ alert: 'AlmanacSourcesFail', why: 'half of the sources' },
    series: {
      'almanac_calendar_sources{state="failing"}': '5x400 0x60',
      'almanac_calendar_sources{state="ok"}': '5x400 10x60',
    },
    ...{ fires: 370, stops: 420 },
  },
  {
    ...{ alert: 'AlmanacEmbeddingsBehind', why: 'the model is too slow' },
    ...{ series: { almanac_embedding_lag: '2000+10x80 2800-100x28 0x60' }, fires: 60, stops: 115 },
  },
];

/** What depends on the machine that runs the tests. */
const CALM: Series = {
  nodejs_eventloop_lag_p99_seconds: `0.01x${LONG}`,
  almanac_process_memory_max_bytes: `200000000x${LONG}`,
};

/** What the series of a service are after some requests, with the labels that Prometheus adds. */
const seriesOf = async (siblings: Siblings | null): Promise<Map<string, number>> => {
  const app = await anApp({ env: { METRICS_TOKEN: TOKEN }, overrides: { siblings } });
  const user = await aUser(app);
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'one' }] }).expect(201);
  await user.get('/memory/pull').expect(200);
  await client(app, 'no-such-key').get('/memory/pull').expect(401);
  const { text } = await client(app, TOKEN).get('/metrics').expect(200);
  await app.close();
  const found = Array.from(
    text.matchAll(/^([a-z0-9_]+(?:\{.*\})?) (\S+)$/gm),
    ([, series, value]): [string, number] => [withAdded(series as string), Number(value)],
  );
  return new Map([...found, [withAdded('up'), 1]]);
};

/** One spelling for the labels in any order. */
const withAdded = (series: string): string => {
  const [, name, labels = ''] = /^([a-z0-9_]+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const pairs = Array.from(labels.matchAll(/([a-z_]+)="([^"]*)"/g), ([pair]) => pair);
  const added = Object.entries(ADDED).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${[...pairs, ...added].toSorted().join(',')}}`;
};

/** Name and names of labels. */
const kindOf = (series: string): string => series.replaceAll(/="[^"]*"/g, '');

const filled = (text: string, { labels = {}, value }: Case): string =>
  text
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? '')
    .replace('{{ $value }}', `${value}`);

/** Version 2.42 of promtool, which Debian has, reads `0+0x10` and not `0x10`. */
const spelled = (values: string): string => values.replaceAll(/(?<=^| )([\d.]+)x/g, '$1+0x');

const expectation = (one: Case, minute: number, isFiring: boolean): object => {
  const rule = rules.find((r) => r.alert === one.alert) as Rule;
  const annotations = Object.entries(rule.annotations).map(([name, text]) => [name, filled(text, one)]);
  return {
    eval_time: `${minute}m`,
    alertname: one.alert,
    exp_alerts: isFiring
      ? [{ exp_labels: { ...one.labels, ...rule.labels }, exp_annotations: Object.fromEntries(annotations) }]
      : [],
  };
};

const trial = (present: Map<string, number>, series: Series, expected: object[], minutes: number): object => {
  const own = new Map(
    Object.entries({ ...CALM, ...series }).map(([name, values]) => [withAdded(name), spelled(values)]),
  );
  const others = [...present].filter(([name]) => !own.has(name));
  const steady = others.map(([name, value]): [string, string] => [name, `${value}+0x${minutes}`]);
  return {
    interval: '1m',
    input_series: [...own, ...steady].map(([name, values]) => ({ series: name, values })),
    alert_rule_test: expected,
  };
};

const trialOf = (present: Map<string, number>, one: Case): object => {
  const firing = one.fires === null ? [] : [expectation(one, one.fires, true)];
  return trial(present, one.series, [...firing, expectation(one, one.stops, false)], one.stops + 1);
};

/** A service that has no trouble for so long that any alert would have fired. */
const quietTrial = (present: Map<string, number>): object => {
  const expected = rules.map(({ alert }) => ({ eval_time: `${LONG}m`, alertname: alert, exp_alerts: [] }));
  return trial(present, {}, expected, LONG);
};

const has = spawnSync('promtool', ['--version']).status === 0;
if (!has) console.warn('The alerts are not tried: promtool is missing (apt-get install prometheus).');

test('every alert has a case', () => {
  expect(new Set(CASES.map(({ alert }) => alert))).toEqual(new Set(rules.map(({ alert }) => alert)));
});

describe.each([
  ['one process', () => null],
  ['two processes', twin],
])('with %s', (_name, siblings) => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-alerts-'));
  let present: Map<string, number>;
  beforeAll(async () => {
    present = await seriesOf(siblings());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const promtool = (tests: object[]): string => {
    const file = join(folder, 'tests.json');
    writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    return status === 0 ? 'SUCCESS' : `${stdout}${stderr}`;
  };

  test.each(CASES)('$alert asks for series that are there: $why', ({ series }) => {
    const kinds = new Set([...present.keys()].map(kindOf));
    for (const name of Object.keys(series)) expect(kinds).toContain(kindOf(withAdded(name)));
  });

  test.runIf(has)('each alert fires and stops, and none fires without trouble', () => {
    expect(promtool([quietTrial(present), ...CASES.map((one) => trialOf(present, one))])).toBe('SUCCESS');
  });
});

test.runIf(has)('promtool finds no fault in the rules', () => {
  expect(execFileSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })).toContain('SUCCESS');
});

test('of two processes, the one that is blocked and the one that uses the most memory count', async () => {
  const metric = (name: string, value: number): object => ({
    ...{ name, help: '', type: 'gauge', aggregator: 'max', values: [{ value, labels: {} }] },
  });
  const busy = ['nodejs_eventloop_lag_p99_seconds', 'almanac_process_memory_max_bytes'];
  const siblings: Siblings = {
    ...{ id: 1, answerWith: () => undefined },
    ask: async () => ({
      answers: [busy.map((name) => metric(name, 9e12))],
      primary: { started: 17, restarts: 3 },
    }),
  };
  const series = await seriesOf(siblings);
  for (const name of busy) expect(series.get(withAdded(name))).toBe(9e12);
  expect(series.get(withAdded('almanac_workers'))).toBe(2);
  expect(series.get(withAdded('almanac_start_time_seconds'))).toBe(17);
  expect(series.get(withAdded('almanac_worker_restarts_total'))).toBe(3);
});
