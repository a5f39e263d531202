/** All keys: what each may do, when it was used last, what its agent has proposed, and its end. */
import type { ApiKey } from '../../../client/almanac-client.ts';
import { agents, keys } from '../state/data.ts';
import { momentOf } from '../state/wall-time.ts';
import { recordText } from '../ui/agent-record.tsx';
import { AskFirst } from '../ui/ask-first.tsx';
import { Failure } from '../ui/failure.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { counted } from '../ui/words.ts';
import { revoke } from './key-list.ts';
import { taking } from './take-back.tsx';

const KINDS = { agent: 'Agent', user: 'Person', feed: 'Calendar feed' } as const;

const isOver = ({ revoked_at, expires_at }: ApiKey): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());

const endText = ({ revoked_at, expires_at }: ApiKey): string => {
  if (revoked_at !== null) return ` · revoked ${momentOf(revoked_at)}`;
  if (expires_at === null) return '';
  return Date.parse(expires_at) <= Date.now() ? ` · ended ${momentOf(expires_at)}` : ` · ends ${momentOf(expires_at)}`;
};

const Key = ({ given }: { given: ApiKey }) => {
  const { id, kind, label, scopes, last_used_at, created_at } = given;
  const activity = agents.data.value?.find(({ agent }) => agent.id === id);
  return (
    <li data-ended={isOver(given) ? '' : undefined}>
      <div class="line-of">
        <strong>
          <Foreign lines={1}>{label}</Foreign>
        </strong>
        {!isOver(given) && (
          <AskFirst
            name="Revoke"
            label={`Revoke ${label}`}
            confirm="Revoke for ever"
            onConfirm={() => void revoke(id, label)}
          />
        )}
      </div>
      <small>
        {KINDS[kind]} · {last_used_at === null ? 'never used' : `last used ${momentOf(last_used_at)}`}
        {endText(given)}
      </small>
      {activity && <small>{recordText(activity)}</small>}
      {kind === 'agent' && (
        <button type="button" onClick={() => (taking.value = { id, label })}>
          Undo what it caused…
        </button>
      )}
      <details>
        <summary>
          <small>{counted(scopes.length, 'scope')}</small>
        </summary>
        <small>
          {scopes.join(', ')}. Made {momentOf(created_at)}; its id in the ledger is {id}.
        </small>
      </details>
    </li>
  );
};

const List = ({ given }: { given: ApiKey[] }) => (
  <ul class="items">
    {given.map((one) => (
      <Key key={one.id} given={one} />
    ))}
  </ul>
);

export const Keys = () => {
  const all = keys.data.value;
  if (keys.error.value !== undefined) return <Failure error={keys.error.value} />;
  const newest = (all ?? []).toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const [valid, over] = [newest.filter((one) => !isOver(one)), newest.filter(isOver)];
  return (
    <Sheet title="Keys" about="A revoked key is refused within a second, and its connections end.">
      {!all ? <p>Loading…</p> : valid.length ? <List given={valid} /> : <p>There are no keys.</p>}
      {over.length > 0 && (
        <details>
          <summary>{over.length} revoked or ended</summary>
          <List given={over} />
        </details>
      )}
    </Sheet>
  );
};
