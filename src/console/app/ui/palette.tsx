/** The command palette: screens, dates, what can be done here, and traces, by typing a part of their name. */
import { computed, signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { asOf, go } from '../state/address.ts';
import { dialog, groups } from '../state/commands.ts';
import { dateFrom } from '../state/dates.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';
import { longDate, momentOf } from '../state/wall-time.ts';
import { Dialog } from './dialog.tsx';
import { Foreign } from './text.tsx';

type Option = { key: string; title: string; name: string; hint?: string; run: () => void };

const typed = signal('');
const chosen = signal(0);
/** What was typed a moment ago, so that not every letter is searched for. */
const settled = signal('');
const SETTLE_MS = 150;
let settling: ReturnType<typeof setTimeout> | undefined;
const type = (text: string): void => {
  typed.value = text;
  chosen.value = 0;
  clearTimeout(settling);
  settling = setTimeout(() => (settled.value = text.trim()), SETTLE_MS);
};

const MOST_HITS = 5;
const hits = resource(
  () => {
    const query = dialog.value === 'palette' ? settled.value : '';
    return query.length < 2 ? null : { query, ...(asOf.value === undefined ? {} : { as_of: asOf.value }) };
  },
  [],
  async (question) => ({
    of: question.query,
    found: (await client.memory.search({ ...question, limit: MOST_HITS }).page()).items,
  }),
);

const commandOptions = (words: string[]): Option[] =>
  groups.value.flatMap(({ title, commands }) =>
    commands()
      .filter(({ onlyKey }) => !onlyKey)
      .map(({ name, keys, run }) => ({
        ...{ key: `${title} ${name}`, title, name, run },
        ...(keys === undefined ? {} : { hint: keys }),
      }))
      .filter(({ name }) => words.every((word) => `${title} ${name}`.toLowerCase().includes(word))),
  );

const dateOptions = (text: string): Option[] => {
  const date = dateFrom(text);
  if (date === undefined) return [];
  const run = (): void => go('./', { date });
  return [{ key: 'date', title: 'Calendar', name: longDate(date), run }];
};

const searchOptions = (text: string): Option[] => {
  if (!text) return [];
  const found = hits.data.value?.of === text ? hits.data.value.found : [];
  return [
    ...found.map(({ uid, snippet, timestamp }) => ({
      ...{ key: uid, title: 'Memory', name: snippet.replaceAll('**', ''), hint: momentOf(timestamp) },
      run: () => go('memory', { find: text, trace: uid }),
    })),
    { key: 'search', title: 'Memory', name: `Search for “${text}”`, run: () => go('memory', { find: text }) },
    ...(asOf.value === undefined
      ? [{ key: 'ask', title: 'Chat', name: `Write “${text}”`, run: () => go('chat', { write: text }) }]
      : []),
  ];
};

const options = computed<Option[]>(() => {
  const text = typed.value.trim();
  return [
    ...dateOptions(text),
    ...commandOptions(text.toLowerCase().split(/\s+/).filter(Boolean)),
    ...searchOptions(text),
  ];
});

const close = (): void => {
  dialog.value = undefined;
  type('');
};

const perform = (option: Option | undefined): void => {
  if (!option) return;
  close();
  option.run();
};

const onKey = (event: KeyboardEvent): void => {
  const { length } = options.value;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Enter') perform(options.value[chosen.value]);
  else if (by !== undefined && length) chosen.value = (chosen.value + by + length) % length;
  else return;
  event.preventDefault();
  document.querySelector('.palette [aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
};

const Open = () => {
  const id = useId();
  return (
    <Dialog name="Go to or do" class="palette" onClose={close}>
      <input
        role="combobox"
        aria-label="Screen, date, action or words to search for"
        placeholder="Screen, date, action, or words to search for"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={options.value.length ? `${id}-${chosen.value}` : undefined}
        autocomplete="off"
        maxLength={500}
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <ul id={id} role="listbox" aria-label="Results">
        {options.value.map((option, n) => (
          <li
            key={option.key}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === chosen.value}
            onPointerMove={() => (chosen.value = n)}
            onClick={() => perform(option)}
          >
            <small>{option.title}</small>
            <Foreign lines={1}>{option.name}</Foreign>
            {option.hint === undefined ? null : option.hint.length > 1 ? (
              <small>{option.hint}</small>
            ) : (
              <kbd>{option.hint}</kbd>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
};

export const Palette = () => (dialog.value === 'palette' ? <Open /> : null);
