/** S12: searches of several people at once in a database of 1,000,000 traces, 100,000 of each of ten people. */
import { aPerson, ok, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentiles, timed, type Bench, type Measured } from './bench.ts';
import { fillTraces } from './million.ts';
import { queriesOf, sent } from './s4.ts';

const LEAST_RATE = 100;
const TARGET = { 95: 150 };
const ASKERS = 8;

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [traces, users, seconds, rounds] = quick ? [20_000, 2, 5, 2] : [100_000, 10, 15, 5];
  const [server] = (await servers(1, place.env)) as [Server];
  const people: Person[] = [];
  for (let i = 0; i < users; i++) people.push(await aPerson(server.url));
  const shares = people.map(({ user_id }) => ({ user_id, traces }));
  await place.sql((query) => fillTraces(query, shares, say));
  const queries = queriesOf(120, traces);
  let asked = 0;
  /** Each asker takes the next person and the next query, one after the other. */
  const searching = async (milliseconds: number): Promise<number[]> => {
    const times: number[] = [];
    const until = performance.now() + milliseconds;
    const askOn = async (): Promise<void> => {
      while (performance.now() < until) {
        const n = asked++;
        const { key } = people[n % users] as Person;
        // A step that shares no factor with the number of queries, so that everybody asks all of them.
        const query = queries[(n * 7 + Math.floor(n / queries.length)) % queries.length] ?? {};
        times.push(await timed(() => ok(server.url, key, sent(query))));
      }
    };
    await Promise.all(Array.from({ length: ASKERS }, askOn));
    return times;
  };
  const all: number[][] = [];
  try {
    await searching(4_000); // warm
    for (let round = 1; round <= rounds; round++) {
      all.push(await searching(1_000 * seconds));
      say(`round ${round} of ${rounds}`);
    }
  } finally {
    await server.stop();
  }
  return {
    figures: [
      {
        ...{ what: 'searches', unit: '/s', target: LEAST_RATE, least: true },
        rounds: all.map((times) => times.length / seconds),
      },
      ...percentiles('POST /memory/search', all, [50, 95, 99], TARGET),
    ],
    facts: [
      `${traces * users} traces in the database, ${traces} of each of ${users} people, ${ASKERS} askers at once, the queries of S4, ${seconds} s a round.`,
    ],
  };
};

export const S12: Bench = {
  id: 'S12',
  title: 'searches of eight at once among 1,000,000 traces',
  places: ['postgres'],
  embedded: false,
  run,
};
