/** S1: endpoints that touch one row, at 32 connections, beside node:http and pg running the same statements on the same tables. */
import { patch } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { besideBare, CONNECTIONS, note, POOL, PUSH, rate, type Endpoint, type Pair } from './bare-pair.ts';
import { percentile, type Bench, type Figure, type Measured } from './bench.ts';

const LEAST_SHARE = 0.75;

const ENDPOINTS: Endpoint[] = [
  {
    name: 'GET /memory/pull',
    sent: () => ({ method: 'GET', path: '/memory/pull?limit=1&type=observation' }),
    uid: null,
  },
  { name: 'GET /memory/history', sent: () => ({ method: 'GET', path: '/memory/history?uid=kept' }), uid: null },
  { name: 'GET /user/profile', sent: () => ({ method: 'GET', path: '/user/profile' }), uid: null },
  {
    name: 'GET /calendar/events',
    sent: () => ({ method: 'GET', path: '/calendar/events?start=2026-11-23&end=2026-11-24' }),
    uid: null,
  },
  PUSH,
  {
    name: 'PATCH /memory/edit',
    sent: (n) => patch('/memory/edit', { uid: 'edited', updates: { content: note(n) } }),
    uid: 'edited',
  },
];

const figuresOf = (name: string, rounds: Pair[]): Figure[] => [
  {
    what: `${name}, share of bare`,
    unit: 'x',
    target: LEAST_SHARE,
    least: true,
    rounds: rounds.map(({ ours, bare }) => rate(ours) / rate(bare)),
  },
  { what: `${name}, requests`, unit: '/s', target: null, rounds: rounds.map(({ ours }) => rate(ours)) },
  { what: `${name}, bare`, unit: '/s', target: null, rounds: rounds.map(({ bare }) => rate(bare)) },
  { what: `${name}, p95`, unit: 'ms', target: null, rounds: rounds.map(({ ours }) => percentile(ours.ms, 0.95)) },
];

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [seconds, rounds] = quick ? [2, 1] : [5, 5];
  return besideBare(place, { people: CONNECTIONS, endpoints: ENDPOINTS }, async ({ both, statementsOf }) => {
    const figures: Figure[] = [];
    for (const endpoint of ENDPOINTS) {
      const done: Pair[] = [];
      for (let i = 0; i < rounds; i++) {
        say(`${endpoint.name}, round ${i + 1} of ${rounds}`);
        done.push(await both(endpoint, seconds));
      }
      figures.push(...figuresOf(endpoint.name, done));
    }
    return {
      figures,
      facts: [
        `${CONNECTIONS} connections of as many people, ${POOL} database connections on either side, ${seconds} s a round, service and bare handler in turn.`,
        `Statements per request: ${ENDPOINTS.map((one) => `${one.name} ${statementsOf(one)}`).join(', ')}.`,
      ],
    };
  });
};

export const S1: Bench = {
  id: 'S1',
  title: 'endpoints of a single row at 32 connections, against node:http and pg',
  places: ['postgres'],
  embedded: false,
  run,
};
