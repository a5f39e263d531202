/** Follows the ledger: each change says which parts of the page to read again. */
import { batch, effect } from '@preact/signals';
import { AlmanacProblem } from '../../../client/almanac-client.ts';
import { noteEnd } from './ended.ts';
import { changed, reached, type Resource } from './resource.ts';
import { client, connection, who } from './service.ts';
import { configures } from './settings.ts';

type Part = keyof typeof changed;

const partOf = (type: string): Part =>
  type.startsWith('event.') ? 'events' : type.startsWith('trace.') ? 'traces' : 'plans';

/** Many changes come together, such as a plan, its transition and its event: they cause one read. */
const GATHER_MS = 40;
const waiting = new Set<Part>();
let gathering: Promise<void> | undefined;
const touch = (part: Part): void => {
  waiting.add(part);
  gathering ??= new Promise((resolve) => {
    setTimeout(() => {
      gathering = undefined;
      batch(() => {
        for (const one of waiting) changed[one].value += 1;
      });
      waiting.clear();
      resolve();
    }, GATHER_MS);
  });
};

export const touchAll = (): void => (Object.keys(changed) as Part[]).forEach(touch);

/** Resolves when this was read again, or could not be. A read that has begun already may know an earlier state only. */
export const readAgain = async ({ settled }: Resource<unknown>): Promise<void> => {
  touchAll();
  await gathering;
  await settled();
};

const LONGEST_WAIT_MS = 15_000;

/** Ends what waits for an answer by a network that is gone, and the pause before the next try. */
let turn = new AbortController();

const pause = (wait: number): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, wait);
    turn.signal.addEventListener('abort', resolve);
  });

const follow = async (signal: AbortSignal): Promise<void> => {
  let position: string | undefined;
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    turn = new AbortController();
    const { signal: turned } = turn;
    const either = AbortSignal.any([signal, turned]);
    try {
      position ??= (await client.agent.changes({}, { signal: either })).position;
      // What is read from here on is at least as new as this position.
      touchAll();
      for await (const change of client.changes({ after: position, signal: either })) {
        ({ position } = change);
        if (change.type === 'reset') touchAll();
        else {
          if (change.type === 'plan.rejected') noteEnd(change.data);
          touch(partOf(change.type));
          if ('action_type' in change.data && configures(change.data)) touch('profile');
        }
      }
    } catch (error) {
      if (signal.aborted || (error instanceof AlmanacProblem && error.status === 401)) return;
      if (turned.aborted) {
        wait = 500;
        continue;
      }
      position = undefined;
      connection.value = 'away';
      await pause(wait);
    }
  }
};

/** The browser knows sooner than a socket that the network is gone or back. */
const followTheNetwork = (): void => {
  addEventListener('offline', () => (connection.value = 'away'));
  for (const type of ['offline', 'online']) addEventListener(type, () => turn.abort());
  let wasAway = false;
  effect(() => {
    const isAway = connection.value === 'away';
    if (wasAway && !isAway) reached.value = reached.peek() + 1;
    wasAway = isAway;
  });
};

/** The profile, which the changes do not tell, may have been changed in another window. */
const readAgainOnReturn = (): void => {
  addEventListener('focus', () => (changed.profile.value += 1));
};

/** Follows as long as somebody is signed in. */
export const followWhileSignedIn = (): void => {
  let stop: AbortController | undefined;
  readAgainOnReturn();
  followTheNetwork();
  effect(() => {
    const isIn = who.value.is === 'person';
    if (isIn === (stop !== undefined)) return;
    stop?.abort();
    stop = isIn ? new AbortController() : undefined;
    if (stop) void follow(stop.signal);
  });
};
