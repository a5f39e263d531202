/** What was typed into a form and not sent: it is there again when the form is, after a click elsewhere, a reload or a new sign-in. */
import { useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keep, readKept } from '../state/kept.ts';

/** By the name of a field: its text, or the values of the boxes that are ticked. Fields that are as they were given are missing. */
type Typed = Record<string, string | string[]>;
/** `version` is that of what the form changes, as it was when the person typed. */
type Draft = { typed: Typed; version: number | undefined };
type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const nameOf = (draft: string): string => `draft ${draft}`;
const draftOf = (draft: string): Draft | undefined => readKept(nameOf(draft)) as Draft | undefined;
export const hasDraft = (draft: string): boolean => draftOf(draft) !== undefined;
export const forgetDraft = (draft: string): void => keep(nameOf(draft), undefined);

/** Passwords and files are not kept, and neither is what the person gives in another way, such as the place that they draw. */
const isKept = (field: Element): field is Field =>
  field.matches(':is(input, textarea, select)[name]:not([type="password"], [type="file"], [data-unkept])');
const fieldsIn = (form: HTMLFormElement): Field[] => [...form.elements].filter(isKept);

const isBox = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';
const givenTo = (field: Field): string =>
  field instanceof HTMLSelectElement
    ? (([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.value ?? '')
    : field.defaultValue;

const typedIn = (form: HTMLFormElement): Typed => {
  const typed: Typed = {};
  const fields = fieldsIn(form);
  for (const field of fields) {
    if (!isBox(field)) {
      if (field.value !== givenTo(field)) typed[field.name] = field.value;
      continue;
    }
    const boxes = fields.filter((one): one is HTMLInputElement => one.name === field.name && isBox(one));
    if (boxes.some(({ checked, defaultChecked }) => checked !== defaultChecked))
      typed[field.name] = boxes.filter(({ checked }) => checked).map(({ value }) => value);
  }
  return typed;
};

const fill = (field: Field, kept: string | string[] | undefined): void => {
  if (kept === undefined) return;
  if (isBox(field)) field.checked = kept.includes(field.value);
  else if (typeof kept === 'string') field.value = kept;
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
};

/** Whether an earlier draft was filled in, and whether what it is about has been changed since. */
export type Back = 'no' | 'same' | 'changed';

/** Keeps what is typed into a form under a name. */
export const useDraft = (
  form: RefObject<HTMLFormElement | null>,
  draft: string | undefined,
  version: number | undefined,
): Signal<Back> => {
  const filled = useRef(new WeakSet<Element>());
  const back = useSignal<Back>('no');
  // Fields may come later, such as those that a ticked box shows.
  useLayoutEffect(() => {
    if (draft === undefined || !form.current) return;
    const kept = draftOf(draft);
    for (const field of fieldsIn(form.current).filter((one) => !filled.current.has(one))) {
      filled.current.add(field);
      if (kept?.typed[field.name] === undefined) continue;
      back.value = kept.version === version ? 'same' : 'changed';
      fill(field, kept.typed[field.name]);
    }
  });
  useLayoutEffect(() => {
    const element = form.current;
    if (draft === undefined || !element) return undefined;
    const onInput = (): void => {
      const names = new Set(fieldsIn(element).map(({ name }) => name));
      const before = draftOf(draft);
      const later = Object.entries(before?.typed ?? {}).filter(([name]) => !names.has(name));
      const typed = { ...Object.fromEntries(later), ...typedIn(element) };
      const next: Draft = { typed, version: before ? before.version : version };
      keep(nameOf(draft), Object.keys(typed).length ? next : undefined);
    };
    element.addEventListener('input', onInput);
    return () => element.removeEventListener('input', onInput);
  }, [draft, version]);
  return back;
};
