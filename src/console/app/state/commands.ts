/** What can be done on the page by a key or by name. The palette, the list of shortcuts and the keys themselves read it here. */
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { asOf } from './address.ts';
import { complain, messages, redoLast, say, undoLast } from './messages.ts';

export type Command = {
  name: string;
  run: () => void;
  /** One key, as in `KeyboardEvent.key`. */
  keys?: string;
  /** Other words for it, beside those of state/other-words.ts. */
  also?: string;
  /** Shown in the list of shortcuts only, because it needs something that is chosen or in view. */
  onlyKey?: boolean;
  /** Whether its key works in a card too, outside of its fields. The others are no commands there. */
  inCard?: boolean;
};
export type Group = { title: string; commands: () => Command[] };

export const groups = signal<readonly Group[]>([]);

/** The commands of a screen, as long as it is shown: keys work as soon as it can be seen. */
export const useCommands = (title: string, commands: () => Command[]): void =>
  useLayoutEffect(() => {
    const group = { title, commands };
    groups.value = [...groups.value, group];
    return () => {
      groups.value = groups.value.filter((one) => one !== group);
    };
  }, []);

/** Which of the two dialogs is open. */
export const dialog = signal<'palette' | 'shortcuts' | undefined>(undefined);

const KEY = 'almanac-single-keys';
/** Single keys can be switched off, because speech input may type them by accident (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(KEY) !== 'off');
export const switchSingleKeys = (on: boolean): void => {
  singleKeys.value = on;
  localStorage.setItem(KEY, on ? 'on' : 'off');
};

/** A tick box of a list has `data-keys`: only Space is its own. */
const TYPING = 'input:not([data-keys]), textarea, select, dialog, [role="menu"]';

const isField = (target: EventTarget | null): boolean => (target as Element).closest(TYPING) !== null;
const isCard = (target: EventTarget | null): boolean =>
  !isField(target) && (target as Element).closest('.card') !== null;

/** What a key does where it was pressed. */
const commandOf = ({ key, target }: KeyboardEvent): Command | undefined =>
  groups.value
    .flatMap((group) => group.commands())
    .find(({ keys, inCard = false }) => keys === key && (inCard || !isCard(target)));

/**
 * Whether somebody writes, into a field that is gone, or into a card or dialog without one: what they type now arrives at the page and
 * is no command. It is over when they turn to something else, give it up by Escape, or send it. A ticked box is no text.
 */
let isWriting = false;
/** Whether they type where no field is. */
let isAstray = false;
const over = (): void => {
  isWriting = false;
  isAstray = false;
};
/** What is typed from now on is meant for a form, whether it is there or not. */
export const restKeys = (): void => {
  isWriting = true;
};
/** The person was led to where keys are commands. */
export const wakeKeys = over;
const TEXT = 'input:not([type="checkbox"]), textarea';
const TAKES_KEYS = 'input, select, textarea, [role="menu"]';
/** Where the person was last able to type. */
let lastField: HTMLElement | undefined;
const watchWriting = (): void => {
  addEventListener('input', (event) => (isWriting ||= event instanceof InputEvent), true);
  const turned = ({ target }: Event): void => {
    if ((target as Element).matches(TEXT)) lastField = target as HTMLElement;
  };
  addEventListener('focusin', turned, true);
  for (const turn of ['submit', 'pointerdown']) addEventListener(turn, over, true);
  // Before a field can keep the key to itself.
  const watchKeys = (event: KeyboardEvent): void => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const isIn = isField(target) || isCard(target);
    // A blank between two words, or the end of them, presses no button that has the focus.
    if (isAstray && (key === ' ' || key === 'Enter') && !(target as Element).closest(TAKES_KEYS)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      interrupt();
    } else if (key === 'Escape' || key === 'Tab' || (key === 'Enter' && isIn)) over();
    else if (isIn && key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey) {
      isWriting ||= isField(target) || !commandOf(event);
      isAstray = isWriting && !(target as Element).closest(TEXT);
    }
  };
  addEventListener('keydown', watchKeys, true);
};

/** The key whose command has run, as long as it is held. */
let held: string | undefined;

/** A key that is held repeats itself. What it has opened takes the focus, and the repeats would press that or be written there. */
const pressOnce = (event: KeyboardEvent): void => {
  if (!event.repeat) held = undefined;
  const isEnter = event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement);
  if (!event.repeat || !(isEnter || event.code === held)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

/** Single keys rest until the person turns to something, and the first one says so. */
const interrupt = (): void => {
  if (!messages.value.some(({ text }) => text === INTERRUPTED)) complain(INTERRUPTED);
};
const INTERRUPTED = 'No field takes what you type, so keys do nothing. Press Escape or click to go on.';

/** What a key undoes belongs to the present. While a question is open, that is what the person takes back. */
export const undoByKey = (): void => {
  const keep = document.querySelector<HTMLElement>('[data-keep]');
  if (keep) keep.click();
  else if (asOf.value === undefined) void undoLast();
  else say('This is the past, where nothing is undone. Go back to now first.');
};

export const redoByKey = (): void => {
  if (asOf.value === undefined) void redoLast();
  else say('This is the past, where nothing is done again. Go back to now first.');
};

/** @returns what a key with Ctrl, or with ⌘, does outside of fields */
const withCtrl = ({ key, shiftKey }: KeyboardEvent): (() => void) | undefined => {
  const letter = key.toLowerCase();
  if (letter === 'y' && !shiftKey) return redoByKey;
  if (letter === 'z') return shiftKey ? redoByKey : undoByKey;
  return undefined;
};

const OPEN_FORM = 'form:has([data-closes])';
/** The field of an open form in which the person was last, or its first one. */
const fieldOfOpenForm = (): HTMLElement | null =>
  lastField?.isConnected && lastField.closest(OPEN_FORM)
    ? lastField
    : document.querySelector<HTMLElement>(`${OPEN_FORM} :is(${TEXT})`);

/**
 * A screen for writing has a field that takes what is typed while nothing else does. One that is still loading may be such a screen. A
 * form that is open takes what is typed where the focus has fallen out of it, and not onto a list or a block.
 */
const writeThere = ({ key, target }: KeyboardEvent): boolean => {
  if (document.querySelector('main .starting')) return true;
  if (key.length !== 1 || key === ' ' || (target as Element).closest('[data-block]')) return false;
  const isOnList = (target as Element).closest('.list') !== null;
  const field = document.querySelector<HTMLElement>('main [data-takes-keys]') ?? (isOnList ? null : fieldOfOpenForm());
  if (!field) return false;
  // The browser writes the character into what has the focus after this.
  field.focus();
  return true;
};

/** @returns whether the key was one of ours */
const perform = (event: KeyboardEvent): boolean => {
  const isCtrl = (event.ctrlKey || event.metaKey) && !event.altKey;
  if (isCtrl && event.key.toLowerCase() === 'k') {
    dialog.value = dialog.value === 'palette' ? undefined : 'palette';
    return true;
  }
  const isTyping = isField(event.target);
  const ofCtrl = isCtrl && !isTyping ? withCtrl(event) : undefined;
  if (ofCtrl) {
    ofCtrl();
    return true;
  }
  if (isCtrl || event.altKey || event.defaultPrevented) return false;
  // A key that is held repeats itself, and would decide one after the other.
  if (!singleKeys.value || isTyping || event.repeat) return false;
  const command = commandOf(event);
  if (isCard(event.target) && !command) return false;
  if (!isCard(event.target) && writeThere(event)) return false;
  if (isWriting) {
    if (event.key.length === 1) interrupt();
    return false;
  }
  command?.run();
  return command !== undefined;
};

export const listenForKeys = (): void => {
  addEventListener('keydown', pressOnce, true);
  watchWriting();
  addEventListener('keydown', (event) => {
    if (!perform(event)) return;
    event.preventDefault();
    held = event.code;
  });
};
