/** What changed between the two moments of the time machine, by what it is of, with the way to it. */
import { useSignal } from '@preact/signals';
import { go, linkTo } from '../state/address.ts';
import { differences, listing, type Difference } from '../state/past.ts';
import { wallOf } from '../state/wall-time.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { fieldName, isOwnField, valueText } from './fields-text.ts';
import { Foreign } from './text.tsx';

const GROUPS: [name: string, isOf: (one: Difference) => boolean][] = [
  ['Calendar', ({ subject }) => subject === 'event'],
  ['Proposals', ({ now }) => now?.type === 'agent_plan'],
  ['Profile', ({ subject }) => subject === 'profile'],
  ['Notes', () => true],
];
const groupOf = (one: Difference): string | undefined => GROUPS.find(([, isOf]) => isOf(one))?.[0];

const OPS = { added: 'new', changed: 'changed', removed: 'removed' } as const;

const Fields = ({ difference }: { difference: Difference }) => {
  if (difference.op !== 'changed') return null;
  const fields = difference.patch.filter(({ path }) => !isOwnField(path));
  return (
    <ul>
      {fields.map(({ op, path, ...rest }) => (
        <li key={path}>
          {fieldName(path)}
          {op === 'remove' ? (
            ' is no longer set'
          ) : (
            <>
              : <Foreign lines={2}>{valueText((rest as { value?: unknown }).value, path)}</Foreign>
            </>
          )}
        </li>
      ))}
    </ul>
  );
};

/** Where it is seen: an event on its day, a trace in memory. */
const placeOf = ({ subject, uid, now }: Difference): [to: string, parameters: Record<string, string>] => {
  if (subject === 'profile') return ['account', {}];
  if (subject !== 'event') return ['memory', { trace: uid }];
  const start = now?.scheduled_for;
  return ['./', typeof start === 'string' ? { view: 'day', date: wallOf(start).date } : {}];
};

const Line = ({ difference }: { difference: Difference }) => {
  const [to, parameters] = placeOf(difference);
  const follow = (event: MouseEvent): void => {
    event.preventDefault();
    listing.value = false;
    go(to, parameters);
  };
  return (
    <li data-op={difference.op}>
      <small>{OPS[difference.op]}</small>{' '}
      <a href={linkTo(to, parameters)} onClick={follow}>
        <Foreign lines={2}>{difference.name}</Foreign>
      </a>
      <Fields difference={difference} />
    </li>
  );
};

const Found = ({ all }: { all: Difference[] }) => {
  const only = useSignal<string | undefined>(undefined);
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
          <section key={name}>
            <h3>{name}</h3>
            <ul>
              {list.map((one) => (
                <Line key={`${one.subject} ${one.uid}`} difference={one} />
              ))}
            </ul>
          </section>
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
        <Found all={found.differences} />
      )}
      {found?.more && <p class="quiet">There are more; these are the first.</p>}
      <button type="button" onClick={() => (listing.value = false)}>
        Close
      </button>
    </Dialog>
  );
};
