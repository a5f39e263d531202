/** Owners: what each word of a prompt is for. A word without an owner is asked about. */
import type { FacetKind, Item } from '../facet.ts';
import { partItems } from '../goal.ts';
import type { Frame } from '../frame.ts';
import { phraseTokens } from '../title.ts';
import type { Reading } from '../read-prompt.ts';
import { takesOf } from '../verbs.ts';
import type { Token } from '../words.ts';
import { COURTEOUS, GLUE } from './small-words.ts';

export type Owner =
  | 'verb'
  | 'when'
  | 'old'
  | 'length'
  | 'repeat'
  | 'limit'
  | 'except'
  | 'count'
  | 'title'
  | 'target'
  | 'aside'
  | 'polite'
  | 'void'
  | 'join'
  | 'ask'
  | 'place'
  | 'extra'
  | 'glue';
export type Owners = (Owner | null)[];

const BY_KIND: Record<FacetKind, Owner> = {
  duration: 'length',
  span: 'length',
  shift: 'length',
  gap: 'when',
  count: 'count',
  days: 'when',
  period: 'when',
  edge: 'limit',
  clock: 'when',
  hours: 'when',
  part: 'when',
  every: 'repeat',
  instant: 'when',
  except: 'except',
  apart: 'limit',
  whole: 'length',
  soon: 'when',
  past: 'when',
  fault: 'when',
};

/** A word that no part of a request needs: it joins, points, or is said for courtesy. */
const smallOwner = ({ word, kind }: Token): Owner | null =>
  kind === 'mark' || kind === 'break' || kind === 'tag' || GLUE.has(word)
    ? 'glue'
    : COURTEOUS.has(word)
      ? 'polite'
      : null;

const ownTimes = (owners: Owners, items: readonly Item[], of: (item: Item) => Owner | null): void => {
  for (const item of items) {
    const owner = of(item);
    if (owner !== null) for (let at = item.from; at < item.to; at++) owners[at] = owner;
  }
};

/** Takes the words of one clause into account. */
const ownFrame = (owners: Owners, tokens: readonly Token[], frame: Frame): void => {
  const { clause, verb, items, asides, act, kind, before } = frame;
  const opening = verb?.from ?? items[before]?.from ?? clause.to;
  for (let at = clause.from; at < clause.to; at++) owners[at] = at < opening ? 'polite' : null;
  if (kind === 'report' || kind === 'aside' || kind === 'condition') {
    owners.fill('aside', clause.from, clause.to);
    return;
  }
  if (kind === 'refusal' || kind === 'ruling') {
    owners.fill('verb', clause.from, clause.to);
    ownTimes(owners, clause.items, ({ facets: [first] }) => (first ? BY_KIND[first.kind] : null));
    return;
  }
  if (act === 'ask') {
    owners.fill('ask', clause.from, clause.to);
    return;
  }
  const isTarget = act !== null && (takesOf(act) === 'change' || takesOf(act) === 'target');
  const words =
    act === 'log' ? items.slice(before).flatMap(({ from, to }) => range(from, to)) : phraseTokens(tokens, items);
  for (const at of words) owners[at] = isTarget ? 'target' : 'title';
  if (act !== 'log')
    ownTimes(owners, items, ({ facets: [first], kept }) => (first && !kept ? BY_KIND[first.kind] : null));
  if (isTarget && takesOf(act) === 'change') {
    const { source, goalItems } = partItems({ tokens }, items.slice(before), act);
    ownTimes(owners, source, ({ facets: [first], from }) =>
      first
        ? BY_KIND[first.kind] === 'when'
          ? 'old'
          : BY_KIND[first.kind]
        : smallOwner(tokens[from]!) === null
          ? 'target'
          : null,
    );
    ownTimes(owners, goalItems, ({ facets: [first], from }) =>
      first ? BY_KIND[first.kind] : smallOwner(tokens[from]!),
    );
  } else if (isTarget) ownTimes(owners, items, ({ facets: [first] }) => (first ? 'old' : null));
  if (verb) owners.fill('verb', verb.from, verb.to);
  for (const { from, to } of asides) owners.fill('aside', from, to);
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

/** The owner of each token; null where no part of any request needs it. */
export const ownersOf = ({ tokens, frames, takenBack }: Pick<Reading, 'tokens' | 'frames' | 'takenBack'>): Owners => {
  const owners: Owners = tokens.map(() => 'join');
  for (const frame of frames) ownFrame(owners, tokens, frame);
  for (const { from, to } of takenBack) owners.fill('void', from, to);
  for (const [at, token] of tokens.entries()) owners[at] ??= smallOwner(token);
  return owners;
};
