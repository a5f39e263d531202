/** Which scopes show which field of a marked person (person.ts). */
import type { Scope } from '../../../src/domain/access/caller.ts';

const MEMORY: Scope[] = ['memory:read', 'export:read', 'debug:read'];
const EVENTS: Scope[] = ['calendar:read'];
const PLANS: Scope[] = [...MEMORY, 'plan:read'];
const both = (...lists: Scope[][]): Scope[] => lists.flat();

/**
 * Which scopes show a field (src/domain/access/caller.ts), by its name or the beginning of it; the longest beginning decides.
 * A field that is missing is shown to no agent: the values of sensitive fields, labels of keys that did nothing, webhooks, and
 * the address of a source.
 */
const SHOWN: Record<string, Scope[]> = {
  // Traces of memory; a trace of an event has its title, its task and its tags.
  ...Object.fromEntries(['note', 'thought', 'gone', 'changed', 'kept', 'chat.asked'].map((kind) => [kind, MEMORY])),
  ...Object.fromEntries(
    ['event', 'series', 'renamed', 'cancelled', 'target', 'override', 'file', 'read'].flatMap((kind) => [
      [kind, EVENTS],
      ...['title', 'old', 'new', 'uid', 'task', 'tag', 'tempo'].map((name) => [
        `${kind}.${name}`,
        both(MEMORY, EVENTS),
      ]),
    ]),
  ),
  // Plans; what was executed is on the calendar, and the executor names what it did.
  ...Object.fromEntries(
    ['mine', 'theirs', 'move', 'approved', 'rejected', 'withdrawn', 'done', 'reflected', 'own'].flatMap((kind) => [
      [kind, PLANS],
      [`${kind}.uid`, both(PLANS, ['plan:execute'])],
    ]),
  ),
  ...Object.fromEntries(
    ['title', 'content', 'task', 'tempo', 'tag', 'tags'].map((name) => [`done.${name}`, both(PLANS, EVENTS)]),
  ),
  'done.uid': both(PLANS, EVENTS, ['plan:execute']),
  'chat.noted': PLANS,
  'source.name': EVENTS,
  'look.': [...EVENTS, 'plan:read', 'user:read'],
  checkpoint: ['export:read'],
  'key.agent': PLANS,
  'profile.': ['user:read'],
  // An export has the profile for who may read its tempo (NEEDED in src/memport/export/points.ts).
  'profile.name': ['user:read', 'tempo:read'],
  'tempo.': ['tempo:read', 'user:read'],
  // The code of a refusal names the rule.
  'limits.id': ['user:read', 'plan:read', 'plan:propose'],
  'limits.tag': ['user:read'],
};
/** The profile of tempo lists the tags that are used, and how long the plans of each tag took. */
const IN_TEMPO = /\.(tempo|tags?)$/;

/** Whether a credential with these scopes may be shown a field. */
export const mayShow = (field: string, scopes: readonly Scope[]): boolean => {
  // Nothing has that word: only the caller itself said it before.
  if (field === 'nothing') return true;
  if (IN_TEMPO.test(field) && scopes.some((scope) => ['tempo:read', 'user:read'].includes(scope))) return true;
  const named = Object.keys(SHOWN).filter((start) => field.startsWith(start));
  const [longest] = named.toSorted((a, b) => b.length - a.length);
  return longest !== undefined && (SHOWN[longest] as Scope[]).some((scope) => scopes.includes(scope));
};
