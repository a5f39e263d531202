/** Says that what a form changes was changed by somebody else since the form was opened, and how. */
import type { Signal } from '@preact/signals';
import { useKeysShown } from '../state/shown.ts';
import { forgetDraft } from './draft.ts';
import { fieldName, valueText } from './fields-text.ts';
import { Foreign } from './text.tsx';

type Versioned = { uid: string; version: number; removed?: boolean };

const SAVE_OVER = 'Save mine over it';
const BRING_BACK = 'Save, and bring it back';

/**
 * What a save is about, where the person has seen what they save over. What came in the moment of a click is not overwritten.
 * @returns the version that is overwritten, what the button says, and whether it counts already
 */
export const useOver = <T extends Versioned>({ value: base }: Signal<T>, now: T, action: string) => {
  const isSeen = useKeysShown([`meanwhile ${now.uid} ${now.version}`]);
  if (now.version === base.version) return { over: base, action: now.removed ? BRING_BACK : action, isReady: true };
  return { over: isSeen ? now : base, action: now.removed ? BRING_BACK : SAVE_OVER, isReady: isSeen };
};

/** The fields in which two versions are not the same, as a person reads them. */
export const differing = <T, K extends keyof T & string>(fields: readonly K[], one: T, other: T): K[] =>
  fields.filter((field) => valueText(one[field], `/${field}`) !== valueText(other[field], `/${field}`));

/** What some fields of a version have. */
export const Values = <T,>({ of, fields }: { of: T; fields: readonly (keyof T & string)[] }) => (
  <ul>
    {fields.map((field) => (
      <li key={field}>
        {fieldName(`/${field}`)}: <Foreign lines={4}>{valueText(of[field], `/${field}`)}</Foreign>
      </li>
    ))}
  </ul>
);

type Props<T, K extends keyof T> = {
  base: Signal<T>;
  now: T;
  fields: readonly K[];
  /** The name under which the form keeps what is typed, where its button saves that over the other change. */
  draft?: string;
};

/** The form has the values of `base`, until the person takes those of `now`. */
export const Meanwhile = <T extends Versioned, K extends keyof T & string>(props: Props<T, K>) => {
  const { base, now, fields, draft } = props;
  if (now.version === base.value.version && !now.removed) return null;
  const changed = differing(fields, now, base.value);
  const take = (): void => {
    if (draft !== undefined) forgetDraft(draft);
    base.value = now;
  };
  return (
    <div class="meanwhile" role="status">
      {now.removed ? (
        <p>It was removed. What you typed stays here{changed.length ? ', and before that this was changed:' : '.'}</p>
      ) : (
        <p>It was changed meanwhile{changed.length ? ':' : ', in what is not part of this form.'}</p>
      )}
      <Values of={now} fields={changed} />
      {draft !== undefined && (
        <p>“{now.removed ? BRING_BACK : SAVE_OVER}” writes what you typed, and leaves the rest as it is now.</p>
      )}
      {!now.removed && (
        <button type="button" onClick={take}>
          {draft === undefined ? 'Keep what I typed, and take the rest' : 'Use the other one'}
        </button>
      )}
    </div>
  );
};
