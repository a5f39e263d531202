/** What was typed into a form and not sent: it is there again when the form is, after a click elsewhere, a reload or a new sign-in. */
import { useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { go, screen } from '../state/address.ts';
import { keep, keptNames, readKept } from '../state/kept.ts';
import { say } from '../state/messages.ts';
import { announce, fieldsIn, isBox, isChanged, type Field } from './fields.ts';

/** By the name of a field: its text, or the values of the boxes that are ticked. Fields that are as they were given are missing. */
type Typed = Record<string, string | string[]>;
/** Where a form is: a screen with its parameters, and when something was typed into it. */
type Place = { to: string; with: Record<string, string>; at: number };
/**
 * `version` is that of what the form changes, as it was when the person typed. `earlier` was typed in forms for other new things, the
 * newest first, and is only offered.
 */
type Draft = { typed: Typed; version: number | undefined; earlier?: Typed[] | undefined; place?: Place | undefined };
/** The largest number of texts for other new things that are kept. */
export const MOST_OFFERED = 5;
const PREFIX = 'draft ';
const nameOf = (draft: string): string => PREFIX + draft;
const draftOf = (draft: string): Draft | undefined => readKept(nameOf(draft)) as Draft | undefined;
export const hasDraft = (draft: string): boolean => draftOf(draft) !== undefined;
const isTyped = (typed: Typed): boolean => Object.keys(typed).length > 0;
/** A tab that is older than an update may keep a single one. */
const earlierOf = (draft: Draft | undefined): Typed[] => [draft?.earlier ?? []].flat();
const keepDraft = (draft: string, next: Draft): void =>
  keep(nameOf(draft), isTyped(next.typed) || next.earlier?.length ? next : undefined);
/** What is offered stays. */
export const forgetDraft = (draft: string): void => {
  const { place, ...before } = draftOf(draft) ?? { typed: {}, version: undefined };
  keepDraft(draft, { typed: {}, version: undefined, earlier: earlierOf(before), place });
};

/** Passwords and files are not kept. */
const keptIn = (form: HTMLFormElement): Field[] =>
  fieldsIn(form).filter((field) => !field.matches('[type="password"], [type="file"]'));
/** The person has drawn what it is given: that is kept with what they type, and counts more than what they typed before. */
const isDrawn = (field: Field): boolean => field.matches('[data-drawn]');

const typedIn = (form: HTMLFormElement): Typed => {
  const typed: Typed = {};
  const fields = keptIn(form);
  for (const field of fields.filter(isChanged)) {
    const boxes = fields.filter((one): one is HTMLInputElement => one.name === field.name && isBox(one));
    typed[field.name] = isBox(field) ? boxes.filter(({ checked }) => checked).map(({ value }) => value) : field.value;
  }
  const drawn = isTyped(typed) ? fields.filter(isDrawn).map(({ name, value }) => [name, value]) : [];
  return { ...typed, ...Object.fromEntries(drawn) };
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

/** Empties a form, also for what follows its fields. */
export const startAgain = (form: HTMLFormElement): void => {
  form.reset();
  for (const field of fieldsIn(form)) announce(field);
};

const placeOf = (draft: string, isFresh: boolean): Place => ({
  to: screen.value || './',
  with: { ...Object.fromEntries(new URLSearchParams(location.search)), ...(isFresh ? { form: draft } : {}) },
  at: Date.now(),
});

/** Whether an earlier draft was filled in, and whether what it is about has been changed since. */
export type Back = 'no' | 'same' | 'changed';

/** What was typed for another new thing, and is offered. */
export type Offered = { text: string; bringBack: () => void; forget: () => void };

const MOST_OF_GIST = 40;
/** By what a person knows it again. */
const gist = (typed: Typed): string => {
  const texts = [typed['title'], typed['content'], ...Object.values(typed)];
  const found = texts.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? 'something';
  return found.length > MOST_OF_GIST ? `${found.slice(0, MOST_OF_GIST)}…` : found;
};

/** What was typed and not sent: it is named by the newest text, and `place` is where that was typed. */
export const unsent = (): { what: string; count: number; draft: string; place: Place } | undefined => {
  const kept = keptNames(PREFIX).flatMap((name) => {
    const draft = readKept(name) as Draft;
    const all = [...(isTyped(draft.typed) ? [draft.typed] : []), ...earlierOf(draft)];
    const { place } = draft;
    return all[0] && place ? [{ draft: name.slice(PREFIX.length), newest: all[0], count: all.length, place }] : [];
  });
  const [last] = kept.toSorted((a, b) => b.place.at - a.place.at);
  if (!last) return undefined;
  const count = kept.reduce((sum, one) => sum + one.count, 0);
  return {
    what: `“${gist(last.newest)}”${count > 1 ? ` and ${count - 1} more` : ''}`,
    count,
    draft: last.draft,
    place: last.place,
  };
};

/** The form that the person asked to see with what they typed. */
let asked: string | undefined;

/** After a new sign-in: what is kept is named, and the newest can be shown. A form for a new thing is asked for by its name. */
export const sayKept = (): void => {
  const kept = unsent();
  if (!kept) return;
  const text = `You typed ${kept.what} and did not send ${kept.count > 1 ? 'them. They are' : 'it. It is'} kept.`;
  const show = (): void => {
    asked = kept.draft;
    go(kept.place.to, kept.place.with);
  };
  say(text, undefined, { name: 'Show it', run: show });
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
): { back: Signal<Back>; offered: Offered[] } => {
  const filled = useRef(new WeakSet<Element>());
  const back = useSignal<Back>('no');
  const earlier = useSignal<Typed[]>([]);
  const settle = (typed: Typed, others: Typed[]): void => {
    earlier.value = others.slice(0, MOST_OFFERED);
    if (draft !== undefined) keepDraft(draft, { typed, version, earlier: earlier.value, place: draftOf(draft)?.place });
  };
  useLayoutEffect(() => {
    const kept = draft === undefined || !isFresh ? undefined : draftOf(draft);
    if (!kept) return;
    const all = [...(isTyped(kept.typed) ? [kept.typed] : []), ...earlierOf(kept)];
    const [newest = {}, ...others] = all;
    if (asked === draft) settle(newest, others);
    else settle({}, all);
    asked = undefined;
  }, []);
  // Fields may come later, such as those that a ticked box shows.
  useLayoutEffect(() => {
    if (draft === undefined || !form.current) return;
    const fresh = keptIn(form.current).filter((one) => !filled.current.has(one));
    const kept = fresh.length ? draftOf(draft) : undefined;
    for (const field of fresh) {
      filled.current.add(field);
      const typed = kept?.typed[field.name];
      if (!kept || typed === undefined || isDrawn(field)) continue;
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
      const kept = before && isTyped(before.typed) ? before.version : version;
      keepDraft(draft, { typed, version: kept, earlier: earlierOf(before), place: placeOf(draft, isFresh) });
    };
    element.addEventListener('input', onInput);
    return () => element.removeEventListener('input', onInput);
  }, [draft, version]);
  const bringBack = (typed: Typed): void => {
    const others = earlier.value.filter((one) => one !== typed);
    const now = form.current ? typedIn(form.current) : {};
    // What is in the form now is another thing, and takes its place among those that are offered.
    if (form.current && isTyped(now)) startAgain(form.current);
    settle(typed, isTyped(now) ? [now, ...others] : others);
    back.value = 'same';
    // A field that one of these shows is filled when it comes.
    const fields = form.current ? keptIn(form.current) : [];
    // The button that was pressed is gone.
    fields[0]?.focus();
    for (const field of fields) {
      const text = typed[field.name];
      if (text !== undefined && !isDrawn(field)) fill(field, text);
    }
  };
  const offered = earlier.value.map((typed) => ({
    text: gist(typed),
    bringBack: () => bringBack(typed),
    forget: () =>
      settle(
        form.current ? typedIn(form.current) : {},
        earlier.value.filter((one) => one !== typed),
      ),
  }));
  return { back, offered };
};
