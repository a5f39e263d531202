/** What the command palette offers for what is typed, as far as the page knows it. ui/palette-more.tsx adds what the service knows. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { asOf, go } from './address.ts';
import { dialog, groups, restKeys, wakeKeys } from './commands.ts';
import { dateFrom } from './dates.ts';
import { OTHER_WORDS, PLACES, type Place } from './other-words.ts';
import { READ_MS } from './shown.ts';
import { longDate } from './wall-time.ts';
import { whenThere } from './when-there.ts';

export type Option = {
  key: string;
  title: string;
  name: string;
  hint?: string;
  /** What is drawn instead of the name. */
  body?: ComponentChildren;
  /** Nothing can be done with it yet. */
  off?: boolean;
  /** Why Enter prefers what was found to a sentence: it makes several events, or the text may only name something (`words`). */
  doubt?: 'set' | 'series' | 'words' | undefined;
  /** Whether the palette stays open; else it closes first. */
  stays?: boolean;
  /** @param at once without a further decision, as by Ctrl and Enter */
  run: (atOnce: boolean) => void;
};

/** The option for what the text would do as a sentence; it is there before the answer of the service. */
export const SENTENCE = 'sentence';

export type More = {
  /** What a sentence would do. It is empty where it would do nothing. */
  sentence: (text: string) => Option[];
  /** How the words of a sentence were read. */
  readAs: (text: string) => ComponentChildren;
  /** What the page knows already. */
  near: (words: readonly string[]) => Option[];
  /** What the service has found. */
  far: (text: string) => Option[];
  /** What is under way or has failed. */
  state: (text: string) => { failure?: string; isReading: boolean };
};
/** It is loaded when the palette is first opened. */
export const more = signal<More | undefined>(undefined);

export const typed = signal('');
export const text = computed(() => typed.value.trim());

const SMALL = new Set(['a', 'an', 'and', 'for', 'in', 'my', 'of', 'on', 'the', 'to']);
const wordsOf = (given: string): string[] => given.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words that count, unless all are small ones. */
export const words = computed(() => {
  const all = wordsOf(text.value);
  const weighty = all.filter((word) => !SMALL.has(word));
  return weighty.length ? weighty : all;
});

/** Whether each word is the beginning of a word of these texts, in any order. */
export const matches = (asked: readonly string[], ...texts: string[]): boolean => {
  const known = wordsOf(texts.join(' '));
  return asked.every((word) => known.some((one) => one.startsWith(word)));
};

/** Those that have the words in their own name come first. */
const found = (asked: readonly string[], all: { option: Option; also: string }[]): Option[] => {
  const fitting = all.filter(({ option: { title, name }, also }) => matches(asked, title, name, also));
  const [first, others] = [true, false].map((own) =>
    fitting.filter(({ option }) => matches(asked, option.name) === own),
  );
  return [...(first ?? []), ...(others ?? [])].map(({ option }) => option);
};

const commands = (): { option: Option; also: string }[] =>
  groups.value.flatMap(({ title, commands }) =>
    commands()
      .filter(({ onlyKey }) => !onlyKey)
      .map(({ name, keys, also = '', run }) => ({
        option: { ...{ key: `${title} ${name}`, title, name, run }, ...(keys === undefined ? {} : { hint: keys }) },
        also: `${also} ${OTHER_WORDS[name] ?? PLACES.find((place) => place.name === name)?.words ?? ''}`,
      })),
  );

const headings = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('main :is(h1, h2)')];

const FIELD = 'textarea, input:not([type="checkbox"], [type="radio"], [type="file"], [readonly])';

/** What the person types next is for the first field below a heading, and for nothing where there is none. A list has keys. */
const focusBelow = (heading: HTMLElement): void => {
  const form = heading.closest('.sheet, form');
  if (!form) return wakeKeys();
  const fields = [...form.querySelectorAll<HTMLElement>(FIELD)];
  const field = fields.find((one) => one.checkVisibility() && !one.matches(':disabled'));
  if (!field) heading.tabIndex = -1;
  (field ?? heading).focus({ preventScroll: true });
};

const titleOf = (screen: string): string =>
  screen === '' ? 'Calendar' : screen.replace(/^./, (letter) => letter.toUpperCase());

/** What the screen has as a command of its own is offered as that. */
const offered = (): Place[] => {
  const own = new Set(groups.value.flatMap(({ commands }) => commands().map(({ name }) => name)));
  return PLACES.filter(({ name, isNow }) => !own.has(name) && !(isNow && asOf.value !== undefined));
};

const places = (): { option: Option; also: string }[] =>
  offered().map(({ screen, with: parameters, heading, name, words: also }) => ({
    option: {
      ...{ key: `place ${name}`, title: titleOf(screen), name },
      run: () => {
        go(screen || './', parameters);
        // The person may type before the form is there.
        restKeys();
        whenThere(
          () => headings().find(({ textContent }) => textContent === heading),
          (part) => {
            part.scrollIntoView({ block: 'start' });
            focusBelow(part);
          },
        );
      },
    },
    also,
  }));

const dates = (): Option[] => {
  const date = dateFrom(text.value);
  if (date === undefined) return [];
  return [{ key: 'date', title: 'Calendar', name: longDate(date), run: () => go('./', { date }) }];
};

const exact = computed<Option[]>(() => [
  ...dates(),
  ...found(words.value, [...commands(), ...(words.value.length ? places() : [])]),
]);

/** Whether the text can be a sentence that proposes something. Two words may be a command, and a date is no sentence. */
export const isSentence = computed(() => {
  const count = text.value.split(/\s+/).length;
  if (asOf.value !== undefined || count < 2 || dateFrom(text.value) !== undefined) return false;
  return count > 2 || !exact.value.length;
});

const waiting = (): Option[] => [
  { key: SENTENCE, title: 'Plan', name: text.value, hint: 'Reading…', off: true, stays: true, run: () => undefined },
];

const last = (): Option[] => {
  const { value: find } = text;
  if (!find) return [];
  return [
    { key: 'search', title: 'Memory', name: `Search for “${find}”`, run: () => go('memory', { find }) },
    ...(asOf.value === undefined
      ? [{ key: 'ask', title: 'Chat', name: `Write “${find}” in the chat`, run: () => go('chat', { write: find }) }]
      : []),
  ];
};

const near = computed(() => (words.value.length ? (more.value?.near(words.value) ?? []) : []));

/** In three parts, so that what arrives in one moves nothing in the others. */
export const parts = computed<{ sentence: Option[]; found: Option[]; last: Option[] }>(() => ({
  sentence: isSentence.value ? (more.value?.sentence(text.value) ?? waiting()) : [],
  found: [...exact.value, ...near.value, ...(text.value ? (more.value?.far(text.value) ?? []) : [])],
  last: last(),
}));
export const options = computed<Option[]>(() => {
  const { sentence, found, last } = parts.value;
  return [...sentence, ...found, ...last];
});

/** The option that is chosen by itself, before the service has found anything. */
const firstKey = (): string => {
  const [known] = [...exact.value, ...(isSentence.value && text.value.split(/\s+/).length > 2 ? [] : near.value)];
  return known?.key ?? (isSentence.value ? SENTENCE : restKey());
};
/** Where a sentence would do nothing: a question is for the chat. */
const restKey = (): string =>
  near.value[0]?.key ?? (text.value.endsWith('?') && asOf.value === undefined ? 'ask' : 'search');

const chosen = signal('');
/** Whether the person chose it themselves. */
let isMeant = false;
export const wasMeant = (): boolean => isMeant;
/** When an option was chosen because the one before it is gone. */
let movedAt = -Infinity;
export const choose = (key: string): void => {
  isMeant = true;
  chosen.value = key;
  movedAt = -Infinity;
};
export const selected = computed(() => options.value.find(({ key }) => key === chosen.value));
effect(() => {
  if (dialog.value !== 'palette' || selected.value || !options.value.length) return;
  movedAt = performance.now();
  const rest = restKey();
  chosen.value = options.value.some(({ key }) => key === rest) ? rest : (options.value[0]?.key ?? '');
});

const isNamed = ({ title, name }: Option): boolean => title === 'Event' || matches(words.value, name);

/**
 * What was found by its own words is nearer than a search for it, and than a sentence in doubt.
 * Anything found comes before several events, which nobody may have wanted. Where the person chose something, that stays.
 */
effect(() => {
  const { sentence, found } = parts.value;
  const doubt = chosen.value === SENTENCE ? sentence[0]?.doubt : undefined;
  if (dialog.value !== 'palette' || isMeant || !(doubt || chosen.value === 'search')) return;
  const nearer = doubt === 'set' || doubt === 'series' ? found[0] : found.find(isNamed);
  if (!nearer) return;
  movedAt = performance.now();
  chosen.value = nearer.key;
});

/** Whether the person may have meant another option, which has just gone. */
export const hasJustMoved = (): boolean => performance.now() - movedAt < READ_MS;

const SEEN_MS = 300;
let grownAt = -Infinity;
/** What a sentence would do takes more space, so the options below it are at another place. */
export const grow = (): void => {
  grownAt = performance.now();
};
export const hasJustGrown = (): boolean => performance.now() - grownAt < SEEN_MS;

export const step = (by: 1 | -1): void => {
  const { value: all } = options;
  const at = all.findIndex(({ key }) => key === chosen.value);
  const next = all[(at + by + all.length) % all.length];
  if (next) choose(next.key);
};

/** What was typed a moment ago, so that not every letter is asked for. */
export const settled = signal('');
const SETTLE_MS = 250;
let settling: ReturnType<typeof setTimeout> | undefined;
export const settle = (): void => {
  clearTimeout(settling);
  settled.value = text.value;
};

export const type = (given: string): void => {
  batch(() => {
    typed.value = given;
    choose(firstKey());
    isMeant = false;
  });
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
};

effect(() => {
  if (dialog.value === 'palette') untracked(() => type(''));
});
