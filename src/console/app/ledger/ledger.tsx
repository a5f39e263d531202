/** The ledger: every change that was ever made, newest first, one line for each act, with its documents. */
import { batch, signal } from '@preact/signals';
import type { LedgerEntry } from '../../../client/almanac-client.ts';
import { asOf, change, parameter, screen } from '../state/address.ts';
import { keys } from '../state/data.ts';
import { resource } from '../state/resource.ts';
import { pastClient } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { actorText } from '../ui/fields-text.ts';
import { Choice, Day, Search } from '../ui/filters.tsx';
import { deedText } from '../ui/words.ts';
import { actsOf, type Act } from './acts.ts';
import { Entry, Sentence } from './entry.tsx';
import { Verification } from './verification.tsx';

const SUBJECTS = ['trace', 'event', 'profile', 'key', 'checkpoint', 'webhook', 'source', 'invitation'] as const;
type Subject = (typeof SUBJECTS)[number];

const PAGE = 50;
const shown = signal(PAGE);

type Question = { subject?: Subject; actor?: string; uid?: string; as_of?: string };

/** In the present, a day that is jumped to is shown up to its end. */
const filters = (): Question => {
  const subject = SUBJECTS.find((one) => one === parameter('subject'));
  const [actor, uid] = [parameter('actor'), parameter('uid')];
  const as_of = asOf.value ?? parameter('day');
  return {
    ...(subject ? { subject } : {}),
    ...(actor ? { actor } : {}),
    ...(uid ? { uid } : {}),
    ...(as_of ? { as_of } : {}),
  };
};

type Found = {
  items: LedgerEntry[];
  more: boolean;
  /** How many were read, where there are older ones. */
  lookedAt?: number;
};

/** What is searched for here; another screen may search for something else. */
const wanted = () => ({ isHere: screen.value === 'ledger', find: parameter('find') });

const newest = resource<Question & { most: number }, Found>(
  () => {
    const { isHere, find } = wanted();
    return isHere && find === undefined ? { ...filters(), most: shown.value } : null;
  },
  ['plans', 'events', 'traces', 'profile'],
  async ({ most, ...question }) => {
    const items: LedgerEntry[] = [];
    for await (const entry of pastClient.memport.ledger({ ...question, limit: Math.min(most + 1, 500) })) {
      items.push(entry);
      if (items.length > most) break;
    }
    return { items: items.slice(0, most), more: items.length > most };
  },
);

const matches = (entry: LedgerEntry, words: string[]): boolean => {
  const text = [actorText(entry.by), deedText(entry), JSON.stringify(entry.payload ?? {})].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
};

/** A search compares what the person is shown, so it reads the entries, at most so many. */
const SEARCHED = 2_000;
const search = signal({ upTo: SEARCHED, times: 0 });

const searchFor = (find: string | undefined): void => {
  batch(() => {
    search.value = { upTo: SEARCHED, times: search.value.times + 1 };
    change({ find });
  });
};

type Asked = { question: Question; find: string; most: number; upTo: number; times: number };

/** It is made when it is asked for, and not again with every change. */
const matching = resource<Asked, Found>(
  () => {
    const { isHere, find } = wanted();
    return isHere && find !== undefined ? { question: filters(), find, most: shown.value, ...search.value } : null;
  },
  [],
  async ({ question, find, most, upTo }) => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const items: LedgerEntry[] = [];
    let lookedAt = 0;
    for await (const entry of pastClient.memport.ledger({ ...question, limit: 500 })) {
      if (lookedAt === upTo) return { items, more: false, lookedAt };
      lookedAt += 1;
      if (matches(entry, words)) items.push(entry);
      if (items.length > most) break;
    }
    return { items: items.slice(0, most), more: items.length > most };
  },
);

const open = signal<ReadonlySet<number>>(new Set());
const toggle = (seq: number, isOpen: boolean): void => {
  const next = new Set(open.value);
  if (isOpen) next.add(seq);
  else next.delete(seq);
  if (next.size !== open.value.size) open.value = next;
};

/** The numbers of all entries of an act, so that none is missing in the list. */
const numbersOf = (entries: readonly LedgerEntry[]): string => {
  const [newest, oldest] = [entries[0], entries.at(-1)];
  return newest === oldest ? `${newest?.seq}` : `${oldest?.seq}–${newest?.seq}`;
};

const ActLine = ({ act: { head, entries } }: { act: Act }) => (
  <li>
    <details open={open.value.has(head.seq)} onToggle={(event) => toggle(head.seq, event.currentTarget.open)}>
      <summary>
        <span class="seq">{numbersOf(entries)}</span>
        <Sentence entry={head} />
        <small>{momentOf(head.recorded_at)}</small>
      </summary>
      {open.value.has(head.seq) &&
        entries.toReversed().map((entry) => <Entry key={entry.seq} entry={entry} isOne={entries.length === 1} />)}
    </details>
  </li>
);

const ABOUT = [
  ['', 'everything'],
  ...SUBJECTS.map((one) => [one, one === 'trace' ? 'notes and proposals' : `${one}s`] as const),
] as const;

const Filters = () => (
  <div class="filters" role="group" aria-label="Filters">
    <Choice label="About" name="subject" options={ABOUT} />
    <Choice
      label="By"
      name="actor"
      options={[
        ['', 'anyone'],
        ['user:session', 'you, signed in'],
        ['system:executor', 'the executor'],
        ...(keys.data.value ?? []).map(({ id, kind, label }) => [`${kind}:${id}`, label] as const),
      ]}
    />
    {asOf.value === undefined && <Day name="day" label="Up to" />}
    {parameter('uid') !== undefined && (
      <button type="button" onClick={() => change({ uid: undefined })}>
        One thing only ×
      </button>
    )}
  </div>
);

export const Ledger = () => {
  const { data, error } = parameter('find') === undefined ? newest : matching;
  const found = data.value;
  return (
    <section class="ledger">
      <div class="toolbar">
        <h1>Ledger</h1>
        <Search label="Search the ledger" placeholder="Words" onSearch={searchFor} />
        <Filters />
      </div>
      <div class="column">
        <p class="quiet">
          Every change is one entry, chained to the one before by its hash. Nothing is ever taken out of it.
        </p>
        <Verification />
        {error.value !== undefined && <Failure error={error.value} />}
        {!found ? (
          <p class="empty">Loading…</p>
        ) : found.items.length === 0 ? (
          <p class="empty">No entry is like that.</p>
        ) : (
          <ol>
            {actsOf(found.items).map((act) => (
              <ActLine key={act.head.seq} act={act} />
            ))}
          </ol>
        )}
        {found?.lookedAt !== undefined && (
          <p class="quiet">
            The newest {found.lookedAt} entries were looked at.{' '}
            <button type="button" onClick={() => (search.value = { ...search.value, upTo: 2 * search.value.upTo })}>
              Look further
            </button>
          </p>
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
