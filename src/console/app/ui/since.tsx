/** What has changed since the moment of the time machine. */
import { comparing, since, type Difference } from '../state/past.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { fieldName, isOwnField, valueText } from './fields-text.ts';
import { Foreign } from './text.tsx';
import { typeText } from './words.ts';

const kindOf = (difference: Difference): string => {
  if (difference.subject !== 'trace') return difference.subject ?? '';
  const { type = 'trace', ...more } = (difference.op === 'added' && difference.trace) || {};
  return typeText({ ...more, type });
};

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

const OPS = [
  ['added', 'New since then'],
  ['changed', 'Changed since then'],
  ['removed', 'Removed since then'],
] as const;

export const Since = () => {
  const found = since.data.value;
  return (
    <Dialog name="What changed since" class="since" onClose={() => (comparing.value = false)}>
      <h2>What changed since</h2>
      {since.error.value !== undefined && <Failure error={since.error.value} />}
      {!found || since.stale.value ? (
        <p class="empty">Loading…</p>
      ) : found.differences.length === 0 ? (
        <p class="empty">Nothing has changed since.</p>
      ) : (
        OPS.map(([op, title]) => {
          const some = found.differences.filter((one) => one.op === op);
          return some.length === 0 ? null : (
            <section key={op} data-op={op}>
              <h3>
                {title} ({some.length})
              </h3>
              <ul>
                {some.map((one) => (
                  <li key={`${one.subject} ${one.uid}`}>
                    <small>{kindOf(one)}</small> <Foreign lines={2}>{one.name}</Foreign>
                    <Fields difference={one} />
                  </li>
                ))}
              </ul>
            </section>
          );
        })
      )}
      {found?.more && <p class="quiet">There are more; these are the first.</p>}
      <button type="button" onClick={() => (comparing.value = false)}>
        Close
      </button>
    </Dialog>
  );
};
