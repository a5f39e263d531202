/** What the list of memory shows: whose, of which kind, task and time. */
import { change, parameter } from '../state/address.ts';
import { agents } from '../state/data.ts';
import { Choice, Day } from '../ui/filters.tsx';
import { Foreign } from '../ui/text.tsx';

const KINDS = [
  ['note', 'notes'],
  ['plan', 'proposals'],
  ['decision', 'decisions'],
  ['event', 'changes of the calendar'],
  ['chat', 'the chat'],
  ['all', 'everything'],
] as const;

export const Filters = () => {
  const task = parameter('task');
  const known = (agents.data.value ?? []).map(({ agent }) => [`agent:${agent.id}`, agent.label] as const);
  return (
    <div class="filters" role="group" aria-label="Filters">
      <Choice label="Show" name="kind" usual="note" options={KINDS} />
      <Choice label="By" name="by" options={[['', 'anyone'], ['user', 'you'], ...known, ['import', 'an import']]} />
      <Day name="from" label="From" />
      <Day name="to" label="To" />
      {task !== undefined && (
        <button type="button" onClick={() => change({ task: undefined })}>
          Task <Foreign lines={1}>{task}</Foreign> ×
        </button>
      )}
    </div>
  );
};
