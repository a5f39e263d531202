/** What was typed into a form and not sent: it is there again when the form is, after a click elsewhere, a reload or a new sign-in. */
import { useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keep, readKept } from '../state/kept.ts';
import { announce, fieldsIn, isBox, isChanged, type Field } from './fields.ts';

/** By the name of a field: its text, or the values of the boxes that are ticked. Fields that are as they were given are missing. */
type Typed = Record<string, string | string[]>;
/**
 * `version` is that of what the form changes, as it was when the person typed. `earlier` was typed in a form for another new thing, and
 * is only offered.
 */
type Draft = { typed: Typed; version: number | undefined; earlier?: Typed | undefined };
const nameOf = (draft: string): string => `draft ${draft}`;
const draftOf = (draft: string): Draft | undefined => readKept(nameOf(draft)) as Draft | undefined;
const hasDraft = (draft: string): boolean => draftOf(draft) !== undefined;
const keepDraft = (draft: string, next: Draft): void =>
  keep(nameOf(draft), Object.keys(next.typed).length || next.earlier ? next : undefined);
/** What is offered stays. */
export const forgetDraft = (draft: string): void =>
  keepDraft(draft, { typed: {}, version: undefined, earlier: draftOf(draft)?.earlier });

/** Passwords and files are not kept, and neither is what the person gives in another way, such as the place that they draw. */
const keptIn = (form: HTMLFormElement): Field[] =>
  fieldsIn(form).filter((field) => !field.matches('[type="password"], [type="file"], [data-unkept]'));

const typedIn = (form: HTMLFormElement): Typed => {
  const typed: Typed = {};
  const fields = keptIn(form);
  for (const field of fields.filter(isChanged)) {
    const boxes = fields.filter((one): one is HTMLInputElement => one.name === field.name && isBox(one));
    typed[field.name] = isBox(field) ? boxes.filter(({ checked }) => checked).map(({ value }) => value) : field.value;
  }
  return typed;
};

const fill = (field: Field, kept: string | string[]): void => {
  if (isBox(field)) field.checked = kept.includes(field.value);
  else if (typeof kept === 'string') field.value = kept;
  announce(field);
};

/**
 * Whether a card shows its form: when the person asks for it, and where they typed into it before and did not send it.
 * @param may whether the form may come by itself: it takes the focus
 */
export const useEditing = (draft: string, may: boolean) => {
  const asked = useSignal<boolean | undefined>(undefined);
  // A form that came stays, also when the person starts over and nothing is kept any more.
  const came = useRef(false);
  came.current ||= may && hasDraft(draft);
  return {
    isEditing: asked.value ?? (may && came.current),
    edit: (): void => void (asked.value = true),
    leave: (): void => void (asked.value = false),
  };
};

/** Whether an earlier draft was filled in, and whether what it is about has been changed since. */
export type Back = 'no' | 'same' | 'changed';

/** What was typed for another new thing, and is offered. */
export type Offered = { text: string; bringBack: () => void; forget: () => void };

/** By what a person knows it again. */
const gist = (typed: Typed): string => {
  const texts = [typed['title'], typed['content'], ...Object.values(typed)];
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? 'something';
};

/**
 * Keeps what is typed into a form under a name.
 * @param isFresh whether the form is for a new thing each time, so that what was typed for another one is offered and not filled in
 */
export const useDraft = (
  form: RefObject<HTMLFormElement | null>,
  draft: string | undefined,
  version: number | undefined,
  isFresh: boolean,
): { back: Signal<Back>; offered: Offered | undefined } => {
  const filled = useRef(new WeakSet<Element>());
  const back = useSignal<Back>('no');
  const earlier = useSignal<Typed | undefined>(undefined);
  useLayoutEffect(() => {
    const kept = draft === undefined || !isFresh ? undefined : draftOf(draft);
    if (draft === undefined || !kept) return;
    earlier.value = Object.keys(kept.typed).length ? kept.typed : kept.earlier;
    keepDraft(draft, { typed: {}, version: undefined, earlier: earlier.value });
  }, []);
  const settle = (typed: Typed): void => {
    earlier.value = undefined;
    if (draft !== undefined) keepDraft(draft, { typed, version });
  };
  // Fields may come later, such as those that a ticked box shows.
  useLayoutEffect(() => {
    if (draft === undefined || !form.current) return;
    const fresh = keptIn(form.current).filter((one) => !filled.current.has(one));
    const kept = fresh.length ? draftOf(draft) : undefined;
    for (const field of fresh) {
      filled.current.add(field);
      const typed = kept?.typed[field.name];
      if (!kept || typed === undefined) continue;
      back.value = kept.version === version ? 'same' : 'changed';
      fill(field, typed);
    }
  });
  useLayoutEffect(() => {
    const element = form.current;
    if (draft === undefined || !element) return undefined;
    const onInput = (): void => {
      const names = new Set(keptIn(element).map(({ name }) => name));
      const before = draftOf(draft);
      const later = Object.entries(before?.typed ?? {}).filter(([name]) => !names.has(name));
      const typed = { ...Object.fromEntries(later), ...typedIn(element) };
      const kept = before && Object.keys(before.typed).length ? before.version : version;
      keepDraft(draft, { typed, version: kept, earlier: before?.earlier });
    };
    element.addEventListener('input', onInput);
    return () => element.removeEventListener('input', onInput);
  }, [draft, version]);
  const bringBack = (typed: Typed): void => {
    settle(typed);
    back.value = 'same';
    // A field that one of these shows is filled when it comes.
    const fields = form.current ? keptIn(form.current) : [];
    // The button that was pressed is gone.
    fields[0]?.focus();
    for (const field of fields) {
      const text = typed[field.name];
      if (text !== undefined) fill(field, text);
    }
  };
  const { value: other } = earlier;
  const offered = other && {
    text: gist(other),
    bringBack: () => bringBack(other),
    forget: () => settle(form.current ? typedIn(form.current) : {}),
  };
  return { back, offered };
};
