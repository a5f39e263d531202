/** Says that what a form changes was changed by somebody else since the form was opened, and how. */
import type { Signal } from '@preact/signals';
import { fieldName, valueText } from './fields-text.ts';
import { Foreign } from './text.tsx';

type Props<T, K extends keyof T> = { base: Signal<T>; now: T; fields: readonly K[] };

/** The form has the values of `base`, until the person takes those of `now`; what they typed stays. */
export const Meanwhile = <T extends { version: number }, K extends keyof T & string>(props: Props<T, K>) => {
  const { base, now, fields } = props;
  if (now.version === base.value.version) return null;
  const texts = fields.map((field) => [
    field,
    valueText(base.value[field], `/${field}`),
    valueText(now[field], `/${field}`),
  ]);
  return (
    <div class="meanwhile" role="status">
      <p>It was changed meanwhile:</p>
      <ul>
        {texts
          .filter(([, before, after]) => before !== after)
          .map(([field = '', , after = '']) => (
            <li key={field}>
              {fieldName(`/${field}`)}: <Foreign lines={4}>{after}</Foreign>
            </li>
          ))}
      </ul>
      <button type="button" onClick={() => (base.value = now)}>
        Take the new values, with what I typed
      </button>
    </div>
  );
};
