/** PROPFIND (RFC 4918 §9.1). */
import type { Caller } from '../domain/access/caller.ts';
import type { Problem } from '../common/problem.ts';
import { createYielder } from '../common/yielding.ts';
import type { Collection, Collections } from './collections.ts';
import { notHere, refusal } from './preconditions.ts';
import {
  countNames,
  namesIn,
  needsWhole,
  objectThing,
  responseOf,
  type Context,
  type Place,
  type Thing,
  type Wanted,
} from './properties.ts';
import type { Work } from './work.ts';
import { childOf, D, named, type Element } from './xml.ts';

const PAGE = 100;
const ALL: Wanted = { names: [], all: true, namesOnly: false };

const infinite = (): Problem =>
  refusal(named(D, 'propfind-finite-depth'), 'Ask with Depth: 0 or 1. Without the header the depth is infinite.');

/** What a PROPFIND asks for; without a body, everything. @throws 400 */
export const readWanted = (root: Element | null): Wanted => {
  if (!root) return ALL;
  if (root.name !== named(D, 'propfind'))
    throw refusal(named(D, 'valid-propfind'), 'The body must be a propfind.', 400);
  if (childOf(root, named(D, 'propname'))) return { ...ALL, namesOnly: true };
  const prop = childOf(root, named(D, 'prop'));
  if (prop) return { names: namesIn(prop), all: false, namesOnly: false };
  return { ...ALL, names: namesIn(childOf(root, named(D, 'include'))) };
};

type Asked = { wanted: Wanted; work: Work };

async function* objectsIn(collection: Collection, asked: Asked): AsyncGenerator<Thing> {
  const { wanted } = asked;
  const states = await collection.states();
  if (!needsWhole(wanted)) {
    for (const { name, etag } of states) yield { kind: 'object', collection, name, etag };
    return;
  }
  for (let at = 0; at < states.length; at += PAGE) {
    const names = states.slice(at, at + PAGE).map(({ name }) => name);
    for (const object of await collection.named(names)) yield objectThing(collection, object, asked);
  }
}

/** The resource of a place, and with depth 1 those directly in it. @throws 404 */
async function* thingsOf(
  place: Place,
  { depth, caller, collections, ...asked }: Asked & { depth: 0 | 1; caller: Caller; collections: Collections },
): AsyncGenerator<Thing> {
  if (place.kind === 'collection' || place.kind === 'object') {
    const { collection } = place;
    if (place.kind === 'object') {
      const [object] = await collection.named([place.name]);
      if (!object) throw notHere();
      yield objectThing(collection, object, asked);
      return;
    }
    yield { kind: 'collection', collection, order: 0 };
    if (depth === 1) yield* objectsIn(collection, asked);
    return;
  }
  yield { kind: place.kind };
  if (depth === 0) return;
  if (place.kind === 'principals') yield { kind: 'principal' };
  if (place.kind === 'root') yield* [{ kind: 'principal' } as const, { kind: 'home' } as const];
  if (place.kind === 'home')
    for (const [order, collection] of (await collections.list(caller)).entries())
      yield { kind: 'collection', collection, order };
}

const readDepth = (header: string | undefined): 0 | 1 => {
  if (header === '0') return 0;
  if (header === '1') return 1;
  throw infinite();
};

/** The responses of a PROPFIND. @throws 403, 404 before the first of them */
export async function* propfind(
  place: Place,
  root: Element | null,
  {
    depth,
    context,
    collections,
    work,
  }: { depth: string | undefined; context: Context; collections: Collections; work: Work },
): AsyncGenerator<string> {
  const wanted = readWanted(root);
  const yieldToOthers = createYielder();
  const { caller } = context;
  for await (const thing of thingsOf(place, { depth: readDepth(depth), wanted, caller, collections, work })) {
    await yieldToOthers();
    countNames(wanted, work);
    yield responseOf(thing, wanted, context);
  }
}
