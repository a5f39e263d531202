/** A day that limits a list, kept in the address. */
import { change, parameter } from '../state/address.ts';

export const DayFilter = ({ name, label }: { name: string; label: string }) => (
  <label class="choice">
    {label}
    <input
      type="date"
      value={parameter(name) ?? ''}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
    />
  </label>
);
