/** The ledger: every change that was ever made, newest first, with its document. */
import { signal } from '@preact/signals';
import type { LedgerEntry } from '../../../client/almanac-client.ts';
import { asOf, change, parameter } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { actorText } from '../ui/fields-text.ts';
import { Foreign } from '../ui/text.tsx';
import { Verification } from './verification.tsx';

const SUBJECTS = ['trace', 'event', 'profile', 'key', 'checkpoint', 'webhook', 'source', 'invitation'] as const;
type Subject = (typeof SUBJECTS)[number];

const PAGE = 50;
const shown = signal(PAGE);

type Question = { subject?: Subject; actor?: string; uid?: string; as_of?: string; most: number };

const filters = (): Omit<Question, 'most'> => {
  const subject = SUBJECTS.find((one) => one === parameter('subject'));
  const [actor, uid] = [parameter('actor'), parameter('uid')];
  return {
    ...(subject ? { subject } : {}),
    ...(actor ? { actor } : {}),
    ...(uid ? { uid } : {}),
    ...(asOf.value === undefined ? {} : { as_of: asOf.value }),
  };
};

const entries = resource<Question, { items: LedgerEntry[]; more: boolean }>(
  () => ({ ...filters(), most: shown.value }),
  ['plans', 'events', 'traces', 'profile'],
  async ({ most, ...question }) => {
    const items: LedgerEntry[] = [];
    for await (const entry of client.memport.ledger({ ...question, limit: Math.min(most + 1, 500) })) {
      items.push(entry);
      if (items.length > most) break;
    }
    return { items: items.slice(0, most), more: items.length > most };
  },
);

/** Those who may have acted: keys, also revoked ones. */
const keys = resource(
  () => ({}),
  ['profile'],
  (given) => client.user.keys(given).all(),
);

const nameOf = ({ payload, subject_uid }: LedgerEntry): string => {
  const { title, content, label, display_name } = payload ?? {};
  const name = [title, label, content, display_name].find((one) => typeof one === 'string' && one !== '');
  return (name as string | undefined) ?? subject_uid ?? '';
};

const Document = ({ entry }: { entry: LedgerEntry }) => (
  <>
    <dl>
      <dt>Thing</dt>
      <dd>
        <Foreign>{`${entry.subject} ${entry.subject_uid ?? '(not shown)'}, version ${entry.version}`}</Foreign>
      </dd>
      <dt>Actor</dt>
      <dd>
        <code>{entry.actor}</code>
      </dd>
      <dt>Document</dt>
      <dd>
        <code>{entry.payload_hash}</code>
      </dd>
      <dt>Entry</dt>
      <dd>
        <code>{entry.hash}</code>
      </dd>
    </dl>
    <div class="buttons">
      <button type="button" onClick={() => change({ uid: entry.subject_uid })}>
        All versions of this
      </button>
      <button type="button" onClick={() => change({ asof: String(entry.seq) })}>
        See everything as of then
      </button>
    </div>
    <pre tabIndex={0} aria-label="Document">
      {entry.payload ? JSON.stringify(entry.payload, null, 2) : 'The document is not shown.'}
    </pre>
  </>
);

const open = signal<ReadonlySet<number>>(new Set());
const toggle = (seq: number, isOpen: boolean): void => {
  const next = new Set(open.value);
  if (isOpen) next.add(seq);
  else next.delete(seq);
  if (next.size !== open.value.size) open.value = next;
};

const Entry = ({ entry }: { entry: LedgerEntry }) => (
  <li>
    <details open={open.value.has(entry.seq)} onToggle={(event) => toggle(entry.seq, event.currentTarget.open)}>
      <summary>
        <span class="seq">{entry.seq}</span>
        <span class="what">
          {entry.kind.replaceAll(/[._]/g, ' ')} <Foreign>{nameOf(entry).slice(0, 100)}</Foreign>
        </span>
        <small>
          {actorText(entry.by)} · {momentOf(entry.recorded_at)}
        </small>
      </summary>
      {open.value.has(entry.seq) && <Document entry={entry} />}
    </details>
  </li>
);

const Filters = () => (
  <div class="group" role="group" aria-label="Filters">
    <label class="choice">
      About
      <select
        value={parameter('subject') ?? ''}
        onChange={(event) => change({ subject: event.currentTarget.value || undefined })}
      >
        <option value="">everything</option>
        {SUBJECTS.map((subject) => (
          <option key={subject} value={subject}>
            {subject === 'trace' ? 'traces and plans' : `${subject}s`}
          </option>
        ))}
      </select>
    </label>
    <label class="choice">
      By
      <select
        value={parameter('actor') ?? ''}
        onChange={(event) => change({ actor: event.currentTarget.value || undefined })}
      >
        <option value="">anyone</option>
        <option value="user:session">you, signed in</option>
        <option value="system:executor">the executor</option>
        {(keys.data.value ?? []).map(({ id, kind, label }) => (
          <option key={id} value={`${kind}:${id}`}>
            {label}
          </option>
        ))}
      </select>
    </label>
    {parameter('uid') !== undefined && (
      <button type="button" onClick={() => change({ uid: undefined })}>
        One thing only ×
      </button>
    )}
  </div>
);

export const Ledger = () => {
  const found = entries.data.value;
  return (
    <section class="ledger">
      <div class="toolbar">
        <h1>Ledger</h1>
        <Filters />
      </div>
      <div class="column">
        <p class="quiet">
          Every change is one entry, chained to the one before by its hash. Nothing is ever taken out of it.
        </p>
        <Verification />
        {entries.error.value !== undefined && <Failure error={entries.error.value} />}
        {!found ? (
          <p class="empty">Loading…</p>
        ) : found.items.length === 0 ? (
          <p class="empty">No entry is like that.</p>
        ) : (
          <ol>
            {found.items.map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </ol>
        )}
        {found?.more && (
          <button type="button" onClick={() => (shown.value += PAGE * 2)}>
            Show older entries
          </button>
        )}
      </div>
    </section>
  );
};
