/** Says that what a form changes was changed by somebody else since the form was opened, and how. */
import type { Signal } from '@preact/signals';
import { fieldName, valueText } from './fields-text.ts';
import { Foreign } from './text.tsx';

type Props<T, K extends keyof T> = { base: Signal<T>; now: T; fields: readonly K[] };

/** The form has the values of `base`, until the person takes those of `now`; what they typed stays. */
export const Meanwhile = <T extends { version: number }, K extends keyof T & string>(props: Props<T, K>) => {
  const { base, now, fields } = props;
  if (now.version === base.value.version) return null;
  const textOf = (one: T, field: K): string => valueText(one[field], `/${field}`);
  const changed = fields.filter((field) => textOf(now, field) !== textOf(base.value, field));
  return (
    <div class="meanwhile" role="status">
      <p>It was changed meanwhile{changed.length ? ':' : ', in what is not part of this form.'}</p>
      <ul>
        {changed.map((field) => (
          <li key={field}>
            {fieldName(`/${field}`)}: <Foreign lines={4}>{textOf(now, field)}</Foreign>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => (base.value = now)}>
        Take the new values, with what I typed
      </button>
    </div>
  );
};
