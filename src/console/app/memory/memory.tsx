/** Memory: search, and one trace with its versions as differences. */
import { computed } from '@preact/signals';
import type { HistoryEntry, SearchHit } from '../../../client/almanac-client.ts';
import { asOf, change, parameter } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { fieldsOf } from '../ui/fields.ts';
import { Foreign } from '../ui/text.tsx';

const SHOWN = 50;
const past = computed(() => (asOf.value === undefined ? {} : { as_of: asOf.value }));

type Found = Pick<SearchHit, 'uid' | 'type' | 'task_id' | 'timestamp' | 'snippet'> & { confidence?: number };

const found = resource<{ query: string | undefined; as_of?: string }, Found[]>(
  () => ({ query: parameter('find'), ...past.value }),
  ['traces', 'plans', 'events'],
  async ({ query, ...when }) => {
    if (query) return (await client.memory.search({ query, limit: SHOWN, ...when }).page()).items;
    const { items } = await client.memory.pull({ limit: SHOWN, ...when }).page();
    return items.map(({ uid, type, task_id, timestamp, summary }) => ({
      uid,
      type,
      task_id,
      timestamp,
      snippet: summary,
    }));
  },
);

const history = resource<{ uid: string; as_of?: string }, HistoryEntry[]>(
  () => {
    const uid = parameter('trace');
    return uid === undefined ? null : { uid, ...past.value };
  },
  ['traces', 'plans', 'events'],
  async (question) => (await client.memory.history({ ...question, limit: SHOWN }).page()).items,
);

const show = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The value of a field in the version before, for the side that was replaced. */
const valueAt = (trace: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], trace);

const Version = ({ entry, before }: { entry: HistoryEntry; before: HistoryEntry | undefined }) => (
  <li>
    <h3>
      Version {entry.version} · {entry.action}
    </h3>
    <small>
      {momentOf(entry.recorded_at)} · ledger number {entry.seq} ·{' '}
      <button type="button" class="plain" onClick={() => change({ asof: String(entry.seq) })}>
        See everything as of then
      </button>
    </small>
    {before && (
      <ul class="changes">
        {entry.changes
          .filter(({ path }) => !/^\/(version|seq|updated_at|recorded_at|summary)$/.test(path))
          .map(({ op, path, ...rest }) => (
            <li key={path}>
              <code>{path.slice(1)}</code>
              {op !== 'add' && (
                <del>
                  <Foreign>{show(valueAt(before.trace, path))}</Foreign>
                </del>
              )}
              {op !== 'remove' && (
                <ins>
                  <Foreign>{show((rest as { value?: unknown }).value)}</Foreign>
                </ins>
              )}
            </li>
          ))}
      </ul>
    )}
  </li>
);

const Trace = () => {
  const entries = history.data.value;
  if (history.error.value !== undefined) return <Failure error={history.error.value} />;
  if (!entries || history.stale.value) return <p class="empty">Loading…</p>;
  const [latest] = entries;
  if (!latest) return <p class="empty">It was not known then.</p>;
  const { type, task_id, timestamp, content } = latest.trace;
  return (
    <article aria-label="Trace">
      <h2>
        {type.replaceAll('_', ' ')}
        {task_id !== null && (
          <>
            {' · '}
            <Foreign lines={1}>{task_id}</Foreign>
          </>
        )}
      </h2>
      <small>{momentOf(timestamp)}</small>
      <p class="content" tabIndex={0}>
        <Foreign>{content}</Foreign>
      </p>
      <h3>History</h3>
      <ol class="versions">
        {entries.map((entry, n) => (
          <Version key={entry.version} entry={entry} before={entries[n + 1]} />
        ))}
      </ol>
    </article>
  );
};

/** The service puts the words that match between pairs of asterisks. */
const Snippet = ({ text }: { text: string }) => (
  <bdi class="foreign">{text.split('**').map((part, n) => (n % 2 ? <mark key={n}>{part}</mark> : part))}</bdi>
);

const Hits = () => {
  const hits = found.data.value;
  if (found.error.value !== undefined) return <Failure error={found.error.value} />;
  if (!hits) return <p class="empty">Loading…</p>;
  if (!hits.length) return <p class="empty">Nothing is found.</p>;
  return (
    <ol class="hits">
      {hits.map(({ uid, type, task_id, timestamp, snippet }) => (
        <li key={uid}>
          <button type="button" aria-pressed={parameter('trace') === uid} onClick={() => change({ trace: uid })}>
            <Snippet text={snippet} />
            <small>
              {momentOf(timestamp)} · {type.replaceAll('_', ' ')}
              {task_id === null ? '' : ` · ${task_id}`}
            </small>
          </button>
        </li>
      ))}
    </ol>
  );
};

export const Memory = () => (
  <section class="memory">
    <div class="toolbar">
      <h1>Memory</h1>
      <form
        role="search"
        onSubmit={(event) => change({ find: fieldsOf(event)('find').trim() || undefined, trace: undefined })}
      >
        <input
          name="find"
          type="search"
          aria-label="Search memory"
          placeholder="Words, @tag, #task"
          maxLength={1000}
          defaultValue={parameter('find') ?? ''}
          dir="auto"
        />
        <button type="submit" class="primary">
          Search
        </button>
      </form>
    </div>
    <div class="two">
      <Hits />
      {parameter('trace') === undefined ? <p class="empty">Choose a trace to see its versions.</p> : <Trace />}
    </div>
  </section>
);
