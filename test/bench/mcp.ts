/** MCP: calls of tools beside the same calls of REST, one after the other in the same round. */
import { aPerson, ok, post, type Sent } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import { median, timed, type Bench, type Measured } from './bench.ts';
import { notesFrom } from './notes.ts';

const MOST = 1.5;

type Era = 'modern' | 'legacy';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ACCEPT = { Accept: 'application/json, text/event-stream' };

const tool = (name: string, args: object, era: Era): Sent => {
  const params = { name, arguments: args, ...(era === 'modern' ? { _meta: META } : {}) };
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return post('/mcp', message, { ...ACCEPT, ...(era === 'modern' ? headers : {}) });
};

/** What is compared: the same work, asked for in three ways. */
const CALLS: [what: string, rest: (i: number) => Sent, name: string, args: (i: number) => object][] = [
  [
    'search',
    (i) => post('/memory/search', { query: WORDS[i % WORDS.length], limit: 10 }),
    'search_memory',
    (i) => ({ query: WORDS[i % WORDS.length], limit: 10 }),
  ],
  ['append', (i) => post('/memory/push', { traces: [note(i)] }), 'append_memory', (i) => ({ traces: [note(i)] })],
];
const WORDS = ['contract supplier', 'garden', 'meeting notes', 'budget'];
const note = (i: number): object => ({ type: 'observation', content: `Note ${i} about the budget of the garden.` });

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [rounds, calls] = quick ? [3, 40] : [7, 200];
  const server = await aServer(place.env);
  await server.start();
  const { url } = server;
  const { key } = await aPerson(url);
  for (let from = 0; from < 2_000; from += 500)
    await ok(url, key, post('/memory/push', { traces: notesFrom(from, 500) }));
  const typical = async (sent: (i: number) => Sent): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < calls; i++) times.push(await timed(() => ok(url, key, sent(i))));
    return median(times);
  };
  const figures: Measured['figures'] = [];
  for (const [what, rest, name, args] of CALLS) {
    const times: Record<'rest' | Era, number[]> = { rest: [], modern: [], legacy: [] };
    for (let round = 0; round <= rounds; round++) {
      say(`${what}, round ${round} of ${rounds}`);
      const measured = {
        rest: await typical(rest),
        modern: await typical((i) => tool(name, args(i), 'modern')),
        legacy: await typical((i) => tool(name, args(i), 'legacy')),
      };
      if (round === 0) continue; // the first round compiles and loads
      for (const way of ['rest', 'modern', 'legacy'] as const) times[way].push(measured[way]);
    }
    const share = (era: Era): number[] => times[era].map((ms, i) => ms / (times.rest[i] as number));
    figures.push(
      { what: `${what}: REST, median`, unit: 'ms', target: null, rounds: times.rest },
      { what: `${what}: MCP 2026-07-28 by REST`, unit: 'x', target: MOST, rounds: share('modern') },
      { what: `${what}: MCP 2025 by REST`, unit: 'x', target: MOST, rounds: share('legacy') },
    );
  }
  await server.stop();
  return {
    figures,
    facts: [`${calls} calls of each kind in a round, one after the other, in a ledger of 2,000 notes.`],
  };
};

export const MCP: Bench = { id: 'MCP', title: 'tools beside REST', places: ['postgres'], embedded: true, run };
