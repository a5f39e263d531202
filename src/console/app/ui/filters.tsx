/** What limits a list, kept in the address: words, a choice, a day. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { change, parameter } from '../state/address.ts';
import { isNarrow } from '../state/narrow.ts';
import { Form } from './form.tsx';

type ChoiceProps = {
  label: string;
  /** The parameter of the address. */
  name: string;
  options: readonly (readonly [value: string, text: string])[];
  /** What the address does not name. */
  usual?: string;
};

export const Choice = ({ label, name, options, usual = '' }: ChoiceProps) => (
  <label class="choice">
    {label}
    <select
      value={parameter(name) ?? usual}
      onChange={({ currentTarget: { value } }) => change({ [name]: value === usual ? undefined : value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

export const Day = ({ name, label }: { name: string; label: string }) => (
  <label class="choice">
    {label}
    <input
      type="date"
      value={parameter(name) ?? ''}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
    />
  </label>
);

type SearchProps = {
  label: string;
  placeholder: string;
  /** Whether what is typed when the screen opens is searched for. */
  isFirst?: boolean;
  onSearch: (find: string | undefined) => void;
};

/** The parameter is `find`. */
export const Search = (props: SearchProps) => <SearchForm key={parameter('find')} {...props} />;

const SearchForm = ({ label, placeholder, isFirst = false, onSearch }: SearchProps) => {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // On a phone the focus would open the keyboard over the list.
    if (isFirst && !isNarrow.value) field.current?.focus();
  }, []);
  return (
    <Form
      role="search"
      onSend={({ text }) => {
        onSearch(text('find').trim() || undefined);
        return false;
      }}
    >
      <input
        ref={field}
        name="find"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={1000}
        defaultValue={parameter('find') ?? ''}
        dir="auto"
      />
      <button type="submit" class="primary">
        Search
      </button>
    </Form>
  );
};
