/** What changed between the two moments of the time machine, by what it is of, with the way to it. */
import { useSignal } from '@preact/signals';
import { go, linkTo } from '../state/address.ts';
import type { Doc } from '../state/field-names.ts';
import { differences, documentAt, listing, nameOf, type Difference, type Differences as Found } from '../state/past.ts';
import { useAnswer } from '../state/use-answer.ts';
import { wallOf } from '../state/wall-time.ts';
import { Changes, isPlan, Outcome, whenOf } from './changes.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Foreign } from './text.tsx';
import { useSeen } from './use-seen.ts';

const GROUPS: [name: string, isOf: (one: Difference) => boolean][] = [
  ['Calendar', ({ subject }) => subject === 'event'],
  ['Proposals', ({ now }) => now !== undefined && isPlan(now)],
  ['Profile', ({ subject }) => subject === 'profile'],
  ['Notes', () => true],
];
const groupOf = (one: Difference): string | undefined => GROUPS.find(([, isOf]) => isOf(one))?.[0];

const OPS = { added: 'new', changed: 'changed', removed: 'removed' } as const;

/** The document at both moments; one that came or went is at one of them only. */
const useEnds = (
  { op, subject, uid, now }: Difference,
  { from, to }: Pick<Found, 'from' | 'to'>,
  isSeen: boolean,
): Doc[] => {
  const kind = subject ?? 'trace';
  const seqs = op === 'changed' ? [from, to] : op === 'removed' ? [from] : [];
  const { data } = useAnswer(isSeen && seqs.length ? `${kind} ${uid} ${seqs.join(' ')}` : undefined, [], () =>
    Promise.all(seqs.map((seq) => documentAt(kind, uid, seq))),
  );
  return op === 'added' && now ? [now] : (data ?? []).filter((one) => one !== undefined);
};

/** Where it is seen: an event on its day, a trace in memory. */
const placeOf = ({ subject, uid, now }: Difference): [to: string, parameters: Record<string, string>] => {
  if (subject === 'profile') return ['account', {}];
  if (subject !== 'event') return ['memory', { trace: uid }];
  const start = now?.['scheduled_for'];
  return ['./', typeof start === 'string' ? { view: 'day', date: wallOf(start).date } : {}];
};

const Line = ({ difference, found }: { difference: Difference; found: Found }) => {
  const [to, parameters] = placeOf(difference);
  const { element, isSeen } = useSeen<HTMLLIElement>();
  const [before, after] = useEnds(difference, found, isSeen.value);
  /** It came and was decided on between the two moments. */
  const isNew = difference.op === 'added' && before && isPlan(before) && before['status'] !== 'proposed';
  const when = before && difference.op !== 'changed' ? whenOf(before) : '';
  const follow = (event: MouseEvent): void => {
    event.preventDefault();
    listing.value = false;
    go(to, parameters);
  };
  return (
    <li data-op={difference.op} ref={element}>
      <small>{OPS[difference.op]}</small>{' '}
      <a href={linkTo(to, parameters)} onClick={follow}>
        <Foreign lines={2}>{(before && nameOf(after ?? before)) || difference.name || '…'}</Foreign>
      </a>
      {when && <span class="quiet"> {when}</span>}
      {isNew && <Outcome doc={before} />}
      {before && after && <Changes before={before} after={after} />}
    </li>
  );
};

/** Each line that is seen asks for the documents of its two ends, so not all are drawn at once. */
const MOST_LINES = 40;

const Group = ({ name, list, found }: { name: string; list: Difference[]; found: Found }) => {
  const most = useSignal(MOST_LINES);
  return (
    <section>
      <h3>{name}</h3>
      <ul>
        {list.slice(0, most.value).map((one) => (
          <Line key={`${one.subject} ${one.uid}`} difference={one} found={found} />
        ))}
      </ul>
      {list.length > most.value && (
        <button type="button" onClick={() => (most.value += MOST_LINES)}>
          Show more
        </button>
      )}
    </section>
  );
};

const All = ({ found }: { found: Found }) => {
  const only = useSignal<string | undefined>(undefined);
  const { differences: all } = found;
  const groups = GROUPS.map(([name]) => ({ name, list: all.filter((one) => groupOf(one) === name) }));
  const filled = groups.filter(({ list }) => list.length);
  return (
    <>
      <div class="buttons" role="group" aria-label="Show only">
        {filled.map(({ name, list }) => (
          <button
            key={name}
            type="button"
            aria-pressed={only.value === name}
            onClick={() => (only.value = only.value === name ? undefined : name)}
          >
            {name} ({list.length})
          </button>
        ))}
      </div>
      {filled
        .filter(({ name }) => (only.value ?? name) === name)
        .map(({ name, list }) => (
          <Group key={name} {...{ name, list, found }} />
        ))}
    </>
  );
};

export const Differences = () => {
  const found = differences.data.value;
  return (
    <Dialog name="What changed" class="differences" onClose={() => (listing.value = false)}>
      <h2>What changed</h2>
      {differences.error.value !== undefined && <Failure error={differences.error.value} />}
      {!found || differences.stale.value ? (
        <p class="empty">Loading…</p>
      ) : found.differences.length === 0 ? (
        <p class="empty">Nothing changed.</p>
      ) : (
        <All found={found} />
      )}
      {found?.more && <p class="quiet">There are more; these are the first.</p>}
      <button type="button" onClick={() => (listing.value = false)}>
        Close
      </button>
    </Dialog>
  );
};
