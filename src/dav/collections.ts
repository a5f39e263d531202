/**
 * The calendars of a user as WebDAV collections: the person's own, the proposals of agents, and one for each source. All answer
 * the same questions, so properties and reports know no difference.
 */
import type { ProposalObjects } from '../agent/feed/objects.ts';
import type { CalendarId, CalendarObject, CalendarObjects, Precondition } from '../calendar/objects/objects.ts';
import type { Sources } from '../calendar/sources/sources.ts';
import { problem } from '../common/problem.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import type { Instant } from '../domain/time/time.ts';
import { checkScopes } from '../http/perform.ts';
import type { LookChange } from '../user/schemas.ts';
import { OWN, PROPOSALS, sourceCollection, sourceOf } from './paths.ts';

export type { CalendarLook, LookChange } from '../user/schemas.ts';
export type State = { name: string; etag: string; seq: number };
export type Window = { start: Instant | null; end: Instant | null };
export type File = { bytes: Uint8Array; charset: string | undefined };
/** The conditions of a write. `isBound` says that it names the tag of what the client has read. */
export type Condition = { check: Precondition; isBound: boolean };

export type Collection = {
  id: string;
  /** How it is shown where no program has set it otherwise. */
  name: string;
  description: string;
  color: string | null;
  transparent: boolean;
  /** Its events cannot be written. How it is shown can. */
  readOnly: boolean;
  states: () => Promise<State[]>;
  named: (names: readonly string[]) => Promise<CalendarObject[]>;
  /** The resources that overlap a window, and perhaps others. */
  within: (window: Window) => AsyncIterable<CalendarObject[]>;
  /** What changed after a seq, and what is gone. */
  changed: (after: number) => Promise<State[]>;
  gone: (after: number) => Promise<{ name: string; seq: number }[]>;
  put: (name: string, file: File, condition: Condition) => Promise<{ created: boolean }>;
  remove: (name: string, condition: Condition) => Promise<void>;
  /** Changes how programs show it. */
  change: (look: LookChange) => Promise<void>;
};

export type CollectionsDeps = {
  objects: CalendarObjects;
  proposals: ProposalObjects;
  sources: Sources;
  /** Blanks what this caller may not see. */
  present: <T>(caller: Caller, value: T) => Promise<T>;
  changeLook: (caller: Caller, id: string, look: LookChange, known: readonly string[]) => Promise<void>;
};

/** What a request does with a collection. */
export type Use = 'reads' | 'writes';

/** The scope that each use needs: of the proposals, and of every other collection. */
const OF_PROPOSALS: Record<Use, Scope> = { reads: 'plan:read', writes: 'plan:decide' };
const OF_EVENTS: Record<Use, Scope> = { reads: 'calendar:read', writes: 'calendar:write' };
const scopeOf = (id: string, use: Use): Scope => (id === PROPOSALS ? OF_PROPOSALS : OF_EVENTS)[use];

export const mayUse = ({ scopes }: Caller, { id }: Collection, use: Use): boolean => scopes.has(scopeOf(id, use));

const PAGE = 100;
/** A user has at most 20 sources. */
const MOST_SOURCES = 100;

const readOnly = (): never => {
  throw problem('source_event', 'This calendar is read from another one. Change its events there.');
};

/** Name, color and whether it takes time are fields of a source. It always has a name. */
const ofSourceItself = ({ name, color, transparent, ...rest }: LookChange) => ({
  own: {
    ...(typeof name === 'string' ? { name } : {}),
    // A source has a color without transparency.
    ...(color === undefined ? {} : { color: color === null ? null : color.slice(0, 7) }),
    ...(transparent === undefined ? {} : { busy: transparent !== true }),
  },
  rest,
});

export const createCollections = ({ objects, proposals, sources, present, changeLook }: CollectionsDeps) => {
  const listSources = async (caller: Caller) =>
    present(caller, await sources.list(caller.user_id, undefined, MOST_SOURCES));

  const change = async (caller: Caller, id: string, look: LookChange): Promise<void> => {
    const others = await sources.list(caller.user_id, undefined, MOST_SOURCES);
    await changeLook(caller, id, look, [OWN, PROPOSALS, ...others.map((one) => sourceCollection(one.id))]);
  };

  const events = (caller: Caller, calendar: CalendarId) => ({
    states: () => objects.states(caller.user_id, calendar),
    named: (names: readonly string[]) => objects.named(caller, calendar, names),
    within: (window: Window) => objects.within(caller, calendar, window, PAGE),
    changed: (after: number) => objects.states(caller.user_id, calendar, after),
    gone: (after: number) => objects.removed(caller.user_id, calendar, after),
  });

  const own = (caller: Caller): Collection => ({
    ...events(caller, null),
    id: OWN,
    name: 'Almanac',
    description: 'Your events.',
    color: '#3D49B8FF',
    transparent: false,
    readOnly: false,
    change: (look) => change(caller, OWN, look),
    put: (name, file, { check }) => objects.put(caller, name, file, check),
    remove: (name, { check }) => objects.remove(caller, name, check),
  });

  const ofAgents = (caller: Caller): Collection => ({
    id: PROPOSALS,
    name: 'Almanac: proposals',
    description:
      'What agents propose. Move an event to change its time, confirm it to approve it, delete it to reject it.',
    color: '#F59E0BFF',
    transparent: false,
    readOnly: false,
    states: () => proposals.states(caller.user_id),
    named: (names) => proposals.named(caller, names),
    within: () => proposals.all(caller),
    changed: (after) => proposals.states(caller.user_id, after),
    gone: (after) => proposals.gone(caller.user_id, after),
    put: async (name, file, condition) => {
      await proposals.put(caller, name, file, condition);
      return { created: false };
    },
    remove: (name, condition) => proposals.remove(caller, name, condition),
    change: (look) => change(caller, PROPOSALS, look),
  });

  const ofSource = (
    caller: Caller,
    { id, name, color, busy }: { id: string; name: string; color: string | null; busy: boolean },
  ): Collection => ({
    ...events(caller, id),
    id: sourceCollection(id),
    name,
    description: 'Events of another calendar, which Almanac reads.',
    color,
    transparent: !busy,
    readOnly: true,
    put: readOnly,
    remove: readOnly,
    change: async (look) => {
      const { own, rest } = ofSourceItself(look);
      if (Object.keys(own).length) await sources.update(caller, { id, updates: own });
      if (Object.keys(rest).length) await change(caller, sourceCollection(id), rest);
    },
  });

  return {
    /** The collections that the scopes of the caller let it read. */
    list: async (caller: Caller): Promise<Collection[]> => {
      const others = caller.scopes.has(OF_EVENTS.reads) ? await listSources(caller) : [];
      const all = [own(caller), ofAgents(caller), ...others.map((source) => ofSource(caller, source))];
      return all.filter((one) => mayUse(caller, one, 'reads'));
    },
    /** Opens one collection, for what the scopes of the caller allow; null where it does not exist. @throws 403 */
    find: async (caller: Caller, id: string, use: Use): Promise<Collection | null> => {
      checkScopes([scopeOf(id, use)], caller.scopes);
      if (id === OWN) return own(caller);
      if (id === PROPOSALS) return ofAgents(caller);
      const source = sourceOf(id);
      const found = source === null ? undefined : (await listSources(caller)).find((one) => one.id === source);
      return found ? ofSource(caller, found) : null;
    },
  };
};

export type Collections = ReturnType<typeof createCollections>;
