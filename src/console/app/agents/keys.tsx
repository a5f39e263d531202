/** All keys: what each may do, when it was used last, what its agent has proposed, and its end. */
import type { AgentActivity, ApiKey } from '../../../client/almanac-client.ts';
import { agents, keys } from '../state/data.ts';
import { momentOf } from '../state/wall-time.ts';
import { recordText } from '../ui/agent-record.tsx';
import { AskFirst } from '../ui/ask-first.tsx';
import { Failure } from '../ui/failure.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { isOver, revoke } from './key-list.ts';
import { ScopeText } from './scopes.tsx';
import { taking } from './take-back.tsx';

const KINDS = { agent: 'Agent', user: 'Person', feed: 'Calendar feed' } as const;

const endText = ({ revoked_at, expires_at }: ApiKey): string => {
  if (revoked_at !== null) return ` · revoked ${momentOf(revoked_at)}`;
  if (expires_at === null) return '';
  return Date.parse(expires_at) <= Date.now() ? ` · ended ${momentOf(expires_at)}` : ` · ends ${momentOf(expires_at)}`;
};

/** The list of keys is not read again at each use; what the agent proposed is, and shows that the key was used. */
const usedText = ({ last_used_at }: ApiKey, activity: AgentActivity | undefined): string => {
  const times = [last_used_at, activity?.last_used_at].filter((time) => typeof time === 'string').toSorted();
  const last = times.at(-1);
  if (last !== undefined) return `last used ${momentOf(last)}`;
  return activity ? 'its last use is not known' : 'never used';
};

const Key = ({ given }: { given: ApiKey }) => {
  const { id, kind, label, scopes, created_at } = given;
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
        {KINDS[kind]} · {usedText(given, activity)}
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
          <small>What it may do</small>
        </summary>
        <ul class="scopes">
          {scopes.map((scope) => (
            <li key={scope}>
              <ScopeText scope={scope} />
            </li>
          ))}
        </ul>
        <small>
          Made {momentOf(created_at)}; its id in the ledger is {id}.
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
