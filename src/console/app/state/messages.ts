/** Short messages at the edge of the page. */
import { effect, signal } from '@preact/signals';
import { isAway, sentence } from './sentence.ts';
import { person } from './service.ts';

/** What else a message offers, such as to show what it is about. */
export type Offer = { name: string; run: () => void };
export type Message = {
  id: number;
  text: string;
  bad: boolean;
  undo: (() => Promise<unknown>) | undefined;
  /** Does again what was just undone. */
  redo: (() => Promise<unknown>) | undefined;
  offer: Offer | undefined;
  /** The uids of the plans that a complaint is about. */
  about: readonly string[];
};

export const messages = signal<Message[]>([]);
let last = 0;
const SHOWN_MS = 10_000;
/** Without a keyboard, only the button of the message undoes. */
const UNDO_SHOWN_MS = 20_000;
/** What went wrong has to be read, and may ask for another deed. */
const BAD_SHOWN_MS = 30_000;

type Deed = () => Promise<unknown>;
/** What can be undone, or done again, the last one at the end: the key works longer than the message is shown. */
type Kept = { id: number; run: Deed; at: number };
let undoable: Kept[] = [];
let redoable: Kept[] = [];
/** Later, nobody remembers what the key would undo. */
const KEPT_MS = 60_000;
const isRecent = ({ at }: Kept): boolean => performance.now() - at < KEPT_MS;

const NOTHING_UNDONE = 'Nothing was undone on this page in the last minute.';
const DONE_SINCE = 'You have done something else since, so what was undone before cannot be done again.';
const NO_REDO = 'What was undone last cannot be done again by a key. Do it again where you did it first.';
/** Why there is nothing to do again. */
let whyNoRedo = NOTHING_UNDONE;
const forgetRedo = (why: string): void => {
  whyNoRedo = redoable.some(isRecent) || why === NO_REDO ? why : whyNoRedo;
  redoable = [];
};
/** Whether what is said now comes of a redo, which leaves the others that can be done again. */
let isRedoing = false;

export const dismiss = (id: number): void => {
  messages.value = messages.value.filter((one) => one.id !== id);
};

type More = Partial<Pick<Message, 'undo' | 'redo' | 'offer' | 'about'>>;

const show = (text: string, bad: boolean, { undo, redo, offer, about = [] }: More = {}): void => {
  const id = ++last;
  // What is complained of twice is said once.
  const others = messages.value.filter((one) => !bad || one.text !== text);
  messages.value = [...others.slice(-2), { id, text, bad, undo, redo, offer, about }];
  const at = performance.now();
  if (undo) undoable = [...undoable.filter(isRecent), { id, run: undo, at }];
  if (undo && !isRedoing) forgetRedo(DONE_SINCE);
  if (redo) redoable = [...redoable.filter(isRecent), { id, run: redo, at }];
  setTimeout(() => dismiss(id), bad ? BAD_SHOWN_MS : undo || redo ? UNDO_SHOWN_MS : SHOWN_MS);
};

export const say = (text: string, undo?: () => Promise<unknown>, offer?: Offer): void =>
  show(text, false, { undo, offer });

/**
 * Says that something was undone.
 * @param redo does it again, where nothing was changed meanwhile, and says so
 */
export const sayUndone = (text: string, redo: () => Promise<unknown>): void => show(text, false, { redo });

/** @param about the uids of the plans that it concerns */
export const complain = (text: string, about?: readonly string[]): void => show(text, true, about ? { about } : {});

/** Why the last press did nothing. */
let advised: number | undefined;
const TURNS_NOTHING = new Set(['Tab', 'Shift', 'Control', 'Alt', 'Meta']);

/** Says why a press did nothing. What is pressed next makes that untrue, so the message goes. */
export const advise = (text: string, about?: readonly string[]): void => {
  complain(text, about);
  const id = last;
  // The press itself is still under way.
  setTimeout(() => (advised = id));
};

const forgetAdvice = (event: Event): void => {
  if (advised === undefined || (event instanceof KeyboardEvent && TURNS_NOTHING.has(event.key))) return;
  dismiss(advised);
  advised = undefined;
};
for (const type of ['click', 'keydown']) addEventListener(type, forgetAdvice, true);

/** These plans were decided on: a complaint that was about them, and about no other, is no longer true. */
export const settle = (uids: readonly string[]): void => {
  const left = ({ about }: Message): string[] => about.filter((uid) => !uids.includes(uid));
  messages.value = messages.value
    .filter((one) => !one.about.length || left(one).length)
    .map((one) => ({ ...one, about: left(one) }));
};

/** What was complained of when something was tried last. */
const causes = new Map<unknown, readonly number[]>();
/**
 * Tries something. What was complained of at an earlier try is no longer true, and goes.
 * @param cause what is tried, such as the name of a form
 */
export const trying = async <T>(cause: unknown, work: () => T | Promise<T>): Promise<T> => {
  causes.get(cause)?.forEach(dismiss);
  causes.delete(cause);
  const before = last;
  try {
    return await work();
  } finally {
    const ids = messages.value.flatMap(({ id, bad }) => (bad && id > before ? [id] : []));
    if (ids.length) causes.set(cause, ids);
  }
};

let asker: string | undefined;
/** Complaints of one session say nothing to the next one. Another person sees nothing of what the last one did, and undoes none of it. */
effect(() => {
  causes.clear();
  messages.value = messages.peek().filter(({ bad }) => !bad);
  if (person.value === undefined || person.value === asker) return;
  if (asker !== undefined) [messages.value, undoable, redoable] = [[], [], []];
  asker = person.value;
});

/** Writes whose answer has not come yet: whether each works. */
const underWay = new Set<Promise<boolean>>();
/** How many writes this page has begun. */
let begun = 0;
export const writesBegun = (): number => begun;

/**
 * Runs a write. A failure is shown in the service's own words.
 * @param what what is not done then, such as 'Not moved: “Dinner”.'
 * @param about the uids of the plans that it concerns
 * @returns whether it worked
 */
export const attempt = (work: Deed, what?: string, about?: readonly string[]): Promise<boolean> => {
  begun += 1;
  const tried = outcomeOf(work, what, about).finally(() => underWay.delete(tried));
  underWay.add(tried);
  return tried;
};

const outcomeOf = async (work: Deed, what?: string, about?: readonly string[]): Promise<boolean> => {
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
export const undoMessage = async ({ id, undo }: Pick<Message, 'id' | 'undo'>): Promise<void> => {
  undoable = undoable.filter((one) => one.id !== id);
  dismiss(id);
  if (!undo) return;
  const before = redoable;
  // What was undone earlier can be done again only before what cannot.
  if ((await attempt(undo)) && redoable === before) forgetRedo(NO_REDO);
};

/** Does again what a message says was undone, once. */
export const redoMessage = async ({ id, redo }: Pick<Message, 'id' | 'redo'>): Promise<void> => {
  redoable = redoable.filter((one) => one.id !== id);
  dismiss(id);
  if (!redo) return;
  isRedoing = true;
  await attempt(redo, 'It was not done again.');
  isRedoing = false;
};

const ANSWER_MS = 5_000;

/** A key that is pressed before the answer to a write means that write. It acts after the answer, and not where that is a failure. */
const afterWrites = async (act: () => void): Promise<void> => {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, ANSWER_MS));
  const answers = underWay.size ? await Promise.race([Promise.all(underWay), late]) : [];
  if (answers?.every(Boolean)) act();
  else if (!answers) complain('The service has not answered the last change yet, so nothing was undone or done again.');
};

/** Undoes the last thing that was done on this page in the last minute and can be undone. */
export const undoLast = (): Promise<void> => afterWrites(undoNow);

const undoNow = (): void => {
  const last = undoable.findLast(isRecent);
  if (last) void undoMessage({ id: last.id, undo: last.run });
  else
    say(
      'Nothing was done on this page in the last minute. Decided proposals are in the queue under “Decided”, and the ledger has the rest.',
    );
};

/** Does the last thing again that was undone on this page in the last minute, or says why it cannot. */
export const redoLast = (): Promise<void> => afterWrites(redoNow);

const redoNow = (): void => {
  const last = redoable.findLast(isRecent);
  if (last) void redoMessage({ id: last.id, redo: last.run });
  else say(redoable.length ? NOTHING_UNDONE : whyNoRedo);
};
