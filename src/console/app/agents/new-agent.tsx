/** Connects an agent: a key with its scopes, shown once, the text to paste into its host, and its first proposal. */
import { signal, useSignal } from '@preact/signals';
import type { NewApiKey, Plan } from '../../../client/almanac-client.ts';
import { defaultScopes, possibleScopes } from '../../../domain/access/caller.ts';
import { go, linkTo } from '../state/address.ts';
import { touchAll } from '../state/live.ts';
import { attempt } from '../state/messages.ts';
import { address, client } from '../state/service.ts';
import { useAnswer } from '../state/use-answer.ts';
import { Copied } from '../ui/copied.tsx';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Foreign } from '../ui/text.tsx';
import { outcomeText } from '../ui/words.ts';
import { endOf, LIFETIMES } from './key-list.ts';
import { ScopeText } from './scopes.tsx';
import { isValidKey, useSecret } from './secret.ts';
import { snippetsOf } from './snippets.ts';

/** The key that was just made. It is only in memory, and gone with the page. */
const made = signal<NewApiKey | undefined>(undefined);

const POSSIBLE = possibleScopes('agent', false);
const DEFAULTS: ReadonlySet<string> = new Set(defaultScopes('agent', false));

const NewKey = () => {
  const make = ({ text, ticked }: Fields): Promise<boolean> => {
    const scopes = POSSIBLE.filter((scope) => ticked('scope').includes(scope));
    return attempt(async () => {
      made.value = await client.user.makeKey({ kind: 'agent', label: text('label'), scopes, ...endOf(text('days')) });
      touchAll();
    });
  };
  return (
    <Form draft="agent" onSend={make}>
      <div class="fields">
        <label>
          Name <input name="label" required maxLength={200} placeholder="Research agent" dir="auto" />
        </label>
        <label>
          The key ends{' '}
          <select name="days">
            {LIFETIMES.map(([days, name]) => (
              <option key={days} value={days}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <details>
        <summary>What it may do: read, remember and propose</summary>
        <fieldset>
          <legend>Scopes</legend>
          <div class="scopes">
            {POSSIBLE.map((scope) => (
              <label key={scope} class="check">
                <input type="checkbox" name="scope" value={scope} defaultChecked={DEFAULTS.has(scope)} />
                <ScopeText scope={scope} />
              </label>
            ))}
          </div>
        </fieldset>
      </details>
      <div class="buttons">
        <button type="submit" class="primary">
          Create key
        </button>
      </div>
    </Form>
  );
};

const firstOf = async (id: string): Promise<Plan | undefined> => {
  const asked = { type: 'agent_plan', recorded_by: `agent:${id}`, order: 'asc', limit: 1 } as const;
  const { items } = await client.memory.pull(asked).page();
  return items[0] as Plan | undefined;
};

/** It stays when it is decided, and says what became of it. */
const FirstProposal = ({ id }: { id: string }) => {
  const { data: first } = useAnswer(id, ['plans'], () => firstOf(id));
  if (!first) return <p role="status">Its first proposal will appear here.</p>;
  return (
    <p role="status">
      Its first proposal is here: <Foreign lines={1}>{first.title}</Foreign>{' '}
      {first.status === 'proposed' ? (
        <a href={linkTo('queue')} onClick={(event) => (event.preventDefault(), go('queue'))}>
          Decide in the queue
        </a>
      ) : (
        `${outcomeText(first)}.`
      )}
    </p>
  );
};

const Made = ({ made: { key, id, label } }: { made: NewApiKey }) => {
  const shown = useSignal('Claude Code');
  const snippets = snippetsOf(address, key);
  const snippet = snippets.find(({ name }) => name === shown.value);
  return (
    <ShownOnce
      name={`Key of ${label}`}
      what="the key"
      text={key}
      about="It is not stored in a readable form."
      onCopied={() => (made.value = undefined)}
    >
      <div class="tabs" role="group" aria-label="Where it is used">
        {snippets.map(({ name }) => (
          <button key={name} type="button" aria-pressed={shown.value === name} onClick={() => (shown.value = name)}>
            {name}
          </button>
        ))}
      </div>
      {snippet && (
        <>
          <p class="quiet">{snippet.where}</p>
          <Copied key={snippet.name} text={snippet.text} name={`the text for ${snippet.name}`} />
        </>
      )}
      <FirstProposal id={id} />
    </ShownOnce>
  );
};

export const NewAgent = () => {
  const { shown, gone } = useSecret(made, isValidKey);
  return (
    <Sheet
      title="Connect an agent"
      about="An agent can propose and can never decide: no key of an agent approves, writes the calendar, or changes limits."
    >
      {gone !== undefined && (
        <p role="status">
          The key of “<Foreign>{gone}</Foreign>” is no longer valid, so it is not shown any more.
        </p>
      )}
      {shown ? <Made made={shown} /> : <NewKey />}
    </Sheet>
  );
};
