/** Proposals that stopped waiting without the person: they expired, were withdrawn, or lost their time. */
import { effect, signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import { waiting } from './data.ts';
import { person } from './service.ts';

type Ended = Pick<Plan, 'uid' | 'title' | 'decision'>;

/** The last one, and how many there are with it. An agent may propose and withdraw without an end, so no list is kept. */
export const ended = signal<{ last: Ended; count: number } | undefined>(undefined);

/** What a person decides, here or elsewhere, needs no word to them. */
const BY_PERSON = new Set(['user', 'cancelled', 'undone']);
const isByPerson = ({ code, by }: NonNullable<Plan['decision']>): boolean =>
  BY_PERSON.has(code) || by.startsWith('user:');

/** The uids of those that the list does not show yet. Nobody misses what they have not seen. */
export const unseen = signal<ReadonlySet<string>>(new Set());

export const noteEnd = ({ uid, title, decision }: Plan): void => {
  const wasShown = waiting.data.peek()?.some((plan) => plan.uid === uid) ?? false;
  if (wasShown && !unseen.peek().has(uid) && decision && !isByPerson(decision))
    ended.value = { last: { uid, title, decision }, count: 1 + (ended.peek()?.count ?? 0) };
};

export const forgetEnded = (): void => {
  ended.value = undefined;
};

// Nobody who signs in next reads the titles of this person.
effect(() => {
  void person.value;
  forgetEnded();
});
