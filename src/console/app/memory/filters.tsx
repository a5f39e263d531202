/** What the list of memory shows: whose, of which kind, task and time. */
import { change, parameter } from '../state/address.ts';
import { agents } from '../state/data.ts';
import { DayFilter } from '../ui/day-filter.tsx';
import { Foreign } from '../ui/text.tsx';
import { shownKind } from './found.ts';

const KINDS = [
  ['note', 'notes'],
  ['plan', 'proposals'],
  ['decision', 'decisions'],
  ['event', 'changes of the calendar'],
  ['all', 'everything'],
] as const;

export const Filters = () => {
  const task = parameter('task');
  return (
    <div class="filters" role="group" aria-label="Filters">
      <label class="choice">
        Show
        <select
          value={shownKind.value}
          onChange={({ currentTarget: { value } }) => change({ kind: value === 'note' ? undefined : value })}
        >
          {KINDS.map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        By
        <select
          value={parameter('by') ?? ''}
          onChange={({ currentTarget: { value } }) => change({ by: value || undefined })}
        >
          <option value="">anyone</option>
          <option value="user">you</option>
          {(agents.data.value ?? []).map(({ agent }) => (
            <option key={agent.id} value={`agent:${agent.id}`}>
              {agent.label}
            </option>
          ))}
          <option value="import">an import</option>
        </select>
      </label>
      <DayFilter name="from" label="From" />
      <DayFilter name="to" label="To" />
      {task !== undefined && (
        <button type="button" onClick={() => change({ task: undefined })}>
          Task <Foreign lines={1}>{task}</Foreign> ×
        </button>
      )}
    </div>
  );
};
