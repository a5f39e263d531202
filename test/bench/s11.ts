/** S11: pushes of one trace by one user at 32 connections, beside the same statements with a transaction for each (s1-bare.ts). */
import type { Place } from '../faults/cluster.ts';
import { besideBare, CONNECTIONS, POOL, PUSH, rate, type Pair } from './bare-pair.ts';
import { percentile, percentiles, type Bench, type Measured } from './bench.ts';

const LEAST_TIMES = 3;
const MOST_P99 = 1;

const p99 = ({ ms }: Pair['ours']): number => percentile(ms, 0.99);

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [seconds, rounds] = quick ? [2, 1] : [5, 5];
  return besideBare(place, { people: 1, endpoints: [PUSH] }, async ({ both, statementsOf }) => {
    const done: Pair[] = [];
    for (let i = 0; i < rounds; i++) {
      say(`round ${i + 1} of ${rounds}`);
      done.push(await both(PUSH, seconds));
    }
    const each = (value: (pair: Pair) => number) => done.map(value);
    return {
      figures: [
        {
          ...{ what: 'pushes, times those of bare', unit: 'x', target: LEAST_TIMES, least: true },
          rounds: each(({ ours, bare }) => rate(ours) / rate(bare)),
        },
        {
          ...{ what: 'p99, times that of bare', unit: 'x', target: MOST_P99 },
          rounds: each(({ ours, bare }) => p99(ours) / p99(bare)),
        },
        { what: 'pushes', unit: '/s', target: null, rounds: each(({ ours }) => rate(ours)) },
        { what: 'pushes, bare', unit: '/s', target: null, rounds: each(({ bare }) => rate(bare)) },
        ...percentiles(
          'push',
          done.map(({ ours }) => ours.ms),
          [50, 99],
        ),
        ...percentiles(
          'push, bare',
          done.map(({ bare }) => bare.ms),
          [50, 99],
        ),
      ],
      facts: [
        `${CONNECTIONS} connections of one person, ${POOL} database connections on either side, ${seconds} s a round, service and bare handler in turn.`,
        `A push that is alone takes ${statementsOf(PUSH)} statements.`,
      ],
    };
  });
};

export const S11: Bench = {
  id: 'S11',
  title: 'pushes of one user at 32 connections, against a transaction for each',
  places: ['postgres'],
  embedded: false,
  run,
};
