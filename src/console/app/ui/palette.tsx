/** The command palette: what a sentence would do, screens, dates, what can be done here, and what is found by a part of its name. */
import { useEffect, useId } from 'preact/hooks';
import { signal, useSignal } from '@preact/signals';
import { dialog } from '../state/commands.ts';
import {
  SENTENCE,
  choose,
  hasJustGrown,
  hasJustMoved,
  isSentence,
  more,
  options,
  parts,
  selected,
  step,
  text,
  type,
  typed,
  wasMeant,
  type Option,
} from '../state/palette.ts';
import { Dialog } from './dialog.tsx';
import { Foreign, Hidden } from './text.tsx';
import { counted } from './words.ts';

/** The text at which Enter came before there was something that it could do. */
const tooSoon = signal<string | undefined>(undefined);

const close = (): void => {
  tooSoon.value = undefined;
  dialog.value = undefined;
};

const perform = (option: Option | undefined, atOnce: boolean): void => {
  if (!option) return;
  tooSoon.value = option.off ? text.value : undefined;
  if (!option.stays) close();
  option.run(atOnce);
};

const onKey = (event: KeyboardEvent): void => {
  if (event.isComposing) return;
  const by = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key as 'ArrowDown' | 'ArrowUp'];
  if (event.key === 'Enter') {
    // A key that is held does nothing twice, and what has just taken the place of another option was not meant.
    if (hasJustMoved()) tooSoon.value = text.value;
    else if (selected.value?.doubt === 'set' && !selected.value.off && !wasMeant()) {
      // Several proposals need a choice: the next Enter is one.
      tooSoon.value = text.value;
      choose(selected.value.key);
    } else if (!event.repeat) perform(selected.value, event.ctrlKey || event.metaKey);
  } else if (by !== undefined) step(by);
  else return;
  event.preventDefault();
  document.querySelector('.palette [aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
};

const Hint = ({ children }: { children: string }) =>
  children.length > 1 && !/^(Ctrl )?↵$/.test(children) ? <small>{children}</small> : <kbd>{children}</kbd>;

/** A key may have spaces, which an id must not have. */
const idOf = (id: string, { key }: Option): string => `${id}-${encodeURIComponent(key)}`;

const Row = ({ option, id }: { option: Option; id: string }) => (
  <div
    id={idOf(id, option)}
    role="option"
    aria-selected={selected.value?.key === option.key}
    aria-disabled={option.off}
    onPointerMove={() => choose(option.key)}
    onClick={() => {
      if (!hasJustGrown() || option.key === SENTENCE) perform(option, false);
    }}
  >
    <small>{option.title}</small>
    {option.body ?? <Foreign lines={1}>{option.name}</Foreign>}
    {option.hint !== undefined && <Hint>{option.hint}</Hint>}
  </div>
);

const Rows = ({ name, all, id }: { name: string; all: Option[]; id: string }) => (
  <div role="group" aria-label={name} class={name.toLowerCase()}>
    {all.map((option) => (
      <Row key={option.key} option={option} id={id} />
    ))}
  </div>
);

const TOO_SOON = 'Nothing was done yet. Read what is shown, then press Enter again.';
const NOT_LOADED = 'A part of the console could not be loaded. Reload the page to write sentences and to search.';

/** What is under way, what failed, and that a sentence was not understood. */
const State = ({ isBroken }: { isBroken: boolean }) => {
  const { failure, isReading } = more.value?.state(text.value) ?? { isReading: !isBroken && text.value !== '' };
  const early = tooSoon.value === text.value && text.value !== '' ? TOO_SOON : '';
  const said = isBroken ? NOT_LOADED : (failure ?? (early || (isReading ? 'Reading…' : '')));
  const isNothing = isSentence.value && !parts.value.sentence.length && !said;
  return (
    <p role="status" class={failure === undefined ? 'quiet' : 'failure'}>
      {isNothing ? 'No plan is understood in this.' : said}
      {!said && !isNothing && text.value && <Hidden>{counted(options.value.length, 'result')}</Hidden>}
    </p>
  );
};

const Open = () => {
  const id = useId();
  const isBroken = useSignal(false);
  useEffect(() => {
    if (more.value) return;
    void import('./palette-more.tsx').then(
      (loaded) => (more.value = loaded.more),
      () => (isBroken.value = true),
    );
  }, []);
  const { sentence, found, last } = parts.value;
  return (
    <Dialog name="Go to or do" class="palette" onClose={close}>
      <input
        role="combobox"
        aria-label="What to do or find: a sentence, a screen, a date, or words"
        placeholder="“Dinner with Jo on Tuesday at 19:00”, a screen, a date, or words"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={selected.value && idOf(id, selected.value)}
        autocomplete="off"
        dir="auto"
        maxLength={500}
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div id={id} role="listbox" aria-label="Results">
        {isSentence.value && <Rows name="Sentence" all={sentence} id={id} />}
        <Rows name="Found" all={found} id={id} />
        {last.length > 0 && <Rows name="Elsewhere" all={last} id={id} />}
      </div>
      {isSentence.value && more.value?.readAs(text.value)}
      <State isBroken={isBroken.value} />
    </Dialog>
  );
};

export const Palette = () => (dialog.value === 'palette' ? <Open /> : null);
