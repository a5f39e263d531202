/** Context: what an agent gets to know before it works. It is built here, tried, and taken along as a call. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { change, parameter } from '../state/address.ts';
import { Copied } from '../ui/copied.tsx';
import { Sheet, Sheets } from '../ui/sheet.tsx';
import { TYPES } from '../ui/words.ts';
import { checkpoints, Checkpoints } from './checkpoints.tsx';
import { exported, Preview } from './preview.tsx';
import { callsOf, DEFAULT_TOKENS, FIELDS, format, FORMATS, query, type Field } from './query.ts';

const TYPING_MS = 250;
const GROUPS = { '': 'nothing', day: 'day', task: 'task', trace_type: 'type' };

/** The words for a type; a client may define types of its own. */
const typeName = (type: string): string => TYPES[type] ?? type;
/** The type that these words mean, in one or many. */
const typeFor = (text: string): string => {
  const word = text.toLowerCase().replace(/s$/, '');
  return Object.keys(TYPES).find((type) => TYPES[type] === word) ?? text;
};

const TextField = ({ name, label, placeholder }: { name: Field; label: string; placeholder?: string }) => (
  <label>
    {label}{' '}
    <input
      name={name}
      maxLength={255}
      defaultValue={parameter(name) ?? ''}
      list={name === 'from' || name === 'to' ? 'checkpoints' : undefined}
      placeholder={placeholder}
      autocomplete="off"
      dir="auto"
    />
  </label>
);

/** A difference has two points in recorded time; the other modes have a window. */
const Window = () =>
  format.value === 'diff' ? (
    <>
      <TextField name="from" label="From (checkpoint or ledger number)" placeholder="1" />
      <TextField name="to" label="To (empty: now)" />
      <datalist id="checkpoints">
        {(checkpoints.data.value ?? []).map(({ tag }) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </>
  ) : (
    (['start_time', 'end_time'] as const).map((name) => (
      <label key={name}>
        {name === 'start_time' ? 'From day' : 'To day'}{' '}
        <input name={name} type="date" defaultValue={parameter(name) ?? ''} />
      </label>
    ))
  );

const Form = () => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const read = (): void => {
    if (!form.current) return;
    const given = new FormData(form.current);
    const values = [...FIELDS, 'mode'].map((name) => {
      const value = given.get(name);
      const text = typeof value === 'string' ? value.trim() : '';
      return [name, (name === 'type' ? typeFor(text) : text) || undefined] as const;
    });
    change(Object.fromEntries(values), true);
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => event.preventDefault()}
      onInput={() => {
        clearTimeout(timer.current);
        timer.current = setTimeout(read, TYPING_MS);
      }}
    >
      <fieldset>
        <legend>Mode</legend>
        {Object.entries(FORMATS).map(([mode, name]) => (
          <label key={mode} class="check">
            <input type="radio" name="mode" value={mode} defaultChecked={format.value === mode} /> <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <TextField name="task_id" label="Task" />
        <TextField name="tempo_tag" label="Tempo tag" placeholder="@deep_work" />
        <TextField name="tag" label="Tag" />
        <label>
          Type{' '}
          <input
            name="type"
            maxLength={255}
            list="types"
            defaultValue={typeName(parameter('type') ?? '')}
            placeholder="any"
            autocomplete="off"
            dir="auto"
          />
        </label>
        <datalist id="types">
          {Object.values(TYPES).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Window />
        <label>
          Group by{' '}
          <select name="group_by">
            {Object.entries(GROUPS).map(([value, name]) => (
              <option key={value} value={value} selected={(parameter('group_by') ?? '') === value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {format.value === 'summary' && (
          <label>
            At most so many tokens{' '}
            <input
              name="max_token_count"
              type="number"
              min={1}
              max={10_000_000}
              step="any"
              defaultValue={parameter('max_token_count') ?? DEFAULT_TOKENS}
            />
          </label>
        )}
      </div>
      <label class="check">
        <input
          type="checkbox"
          name="include_feedback"
          value="true"
          defaultChecked={parameter('include_feedback') === 'true'}
        />
        <span>With ratings and notes</span>
      </label>
    </form>
  );
};

const Calls = () => {
  const shown = useSignal('curl');
  const calls = callsOf(query.value);
  const call = calls.find(({ name }) => name === shown.value) ?? calls[0];
  return (
    <Sheet title="Take it along" about="The same export for an agent or a program. Its key needs export:read.">
      <div class="tabs" role="group" aria-label="As">
        {calls.map(({ name }) => (
          <button key={name} type="button" aria-pressed={call?.name === name} onClick={() => (shown.value = name)}>
            {name}
          </button>
        ))}
      </div>
      {call && <Copied key={call.name} text={call.text} name={call.name} />}
    </Sheet>
  );
};

export const Context = () => (
  <section class="context">
    <div class="toolbar">
      <h1>Context</h1>
      <p class="quiet">What an agent is told before it works.</p>
    </div>
    <Sheets of={[exported, checkpoints]}>
      <Sheet title="What to export">
        <Form />
      </Sheet>
      <Preview />
      <Calls />
      <Checkpoints />
    </Sheets>
  </section>
);
