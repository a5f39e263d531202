/** Short messages at the edge of the page. */
import { signal } from '@preact/signals';
import { isAway, sentence } from './sentence.ts';

/** What else a message offers, such as to show what it is about. */
export type Offer = { name: string; run: () => void };
export type Message = {
  id: number;
  text: string;
  bad: boolean;
  undo: (() => Promise<unknown>) | undefined;
  offer: Offer | undefined;
  /** The uids of the plans that a complaint is about. */
  about: readonly string[];
};

export const messages = signal<Message[]>([]);
let last = 0;
const SHOWN_MS = 10_000;
/** What went wrong has to be read, and may ask for another deed. */
const BAD_SHOWN_MS = 30_000;

/** What can be undone, the last one at the end: the key works longer than the message is shown. */
type Undoable = { id: number; undo: () => Promise<unknown>; at: number };
let undoable: Undoable[] = [];
/** Later, nobody remembers what the key would undo. */
const UNDOABLE_MS = 60_000;
const isRecent = ({ at }: Undoable): boolean => performance.now() - at < UNDOABLE_MS;

export const dismiss = (id: number): void => {
  messages.value = messages.value.filter((one) => one.id !== id);
};

type More = Partial<Pick<Message, 'undo' | 'offer' | 'about'>>;

const show = (text: string, bad: boolean, { undo, offer, about = [] }: More = {}): void => {
  const id = ++last;
  messages.value = [...messages.value.slice(-2), { id, text, bad, undo, offer, about }];
  if (undo) undoable = [...undoable.filter(isRecent), { id, undo, at: performance.now() }];
  setTimeout(() => dismiss(id), bad ? BAD_SHOWN_MS : SHOWN_MS);
};

export const say = (text: string, undo?: () => Promise<unknown>, offer?: Offer): void =>
  show(text, false, { undo, offer });

/** @param about the uids of the plans that it concerns */
export const complain = (text: string, about?: readonly string[]): void => show(text, true, about ? { about } : {});

/** These plans were decided on: a complaint that was about them, and about no other, is no longer true. */
export const settle = (uids: readonly string[]): void => {
  const left = ({ about }: Message): string[] => about.filter((uid) => !uids.includes(uid));
  messages.value = messages.value
    .filter((one) => !one.about.length || left(one).length)
    .map((one) => ({ ...one, about: left(one) }));
};

/**
 * Runs a write. A failure is shown in the service's own words.
 * @param what what is not done then, such as 'Not moved: “Dinner”.'
 * @param about the uids of the plans that it concerns
 * @returns whether it worked
 */
export const attempt = async (
  work: () => Promise<unknown>,
  what?: string,
  about?: readonly string[],
): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    const lost = what ?? (isAway(error) ? 'It may not be saved.' : undefined);
    complain(lost === undefined ? sentence(error) : `${lost} ${sentence(error)}`, about);
    return false;
  }
};

/** Undoes what a message offers, once. */
export const undoMessage = ({ id, undo }: Pick<Message, 'id' | 'undo'>): void => {
  undoable = undoable.filter((one) => one.id !== id);
  dismiss(id);
  if (undo) void attempt(undo);
};

/** Undoes the last thing that was done on this page in the last minute and can be undone. */
export const undoLast = (): void => {
  const last = undoable.findLast(isRecent);
  if (last) undoMessage(last);
  else
    say(
      'Nothing was done on this page in the last minute. Decided proposals are in the queue under “Decided”, and the ledger has the rest.',
    );
};
