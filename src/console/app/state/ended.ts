/** Proposals that stopped waiting without the person: they expired, were withdrawn, or lost their time. */
import { signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import { waiting } from './data.ts';

type Ended = { uid: string; title: string; code: string };

export const ended = signal<readonly Ended[]>([]);

/** What a person decides, here or elsewhere. */
const BY_PERSON = new Set(['user', 'cancelled', 'undone']);

export const noteEnd = ({ uid, title, decision }: Plan): void => {
  const code = decision?.code ?? 'user';
  const wasShown = waiting.data.peek()?.some((plan) => plan.uid === uid) ?? false;
  if (wasShown && !BY_PERSON.has(code))
    ended.value = [...ended.value.filter((one) => one.uid !== uid), { uid, title, code }];
};

export const forgetEnded = (): void => {
  ended.value = [];
};
