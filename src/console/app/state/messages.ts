/** Short messages at the edge of the page. */
import { signal } from '@preact/signals';
import { sentence } from './service.ts';

export type Message = { id: number; text: string; bad: boolean; undo: (() => Promise<unknown>) | undefined };

export const messages = signal<Message[]>([]);
let last = 0;
const SHOWN_MS = 10_000;

export const dismiss = (id: number): void => {
  messages.value = messages.value.filter((one) => one.id !== id);
};

const show = (text: string, bad: boolean, undo?: () => Promise<unknown>): void => {
  const id = ++last;
  messages.value = [...messages.value.slice(-2), { id, text, bad, undo }];
  setTimeout(() => dismiss(id), SHOWN_MS);
};

export const say = (text: string, undo?: () => Promise<unknown>): void => show(text, false, undo);

export const complain = (text: string): void => show(text, true);

/** Runs a write. A failure is shown in the service's own words. @returns whether it worked */
export const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    show(sentence(error), true);
    return false;
  }
};
