/** The first visit: an empty calendar says what can be done with it. */
import { asOf, go } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';
import { ImportIcs } from '../ui/import-ics.tsx';

let known = false;

/** Every event, plan and prompt is a trace, so an account without traces is new. */
const traces = resource(
  () => (asOf.value === undefined && !known ? {} : null),
  ['traces', 'events', 'plans'],
  async (given) => {
    const { items } = await client.memory.pull({ ...given, limit: 1 }).page();
    known ||= items.length > 0;
    return items.length;
  },
);
const EXAMPLES = [
  'Plan 90 minutes of deep work tomorrow morning',
  'Read for 30 minutes every weekday at 8',
  'Remind me to call the dentist on Friday at 10',
];

export const Welcome = () => {
  if (traces.data.value !== 0 || asOf.value !== undefined) return null;
  return (
    <section class="welcome" aria-label="Begin here">
      <div>
        <h2>Say what you want to do</h2>
        <p class="quiet">It becomes a proposal on the calendar. Nothing happens before you approve it.</p>
        {EXAMPLES.map((example) => (
          <button key={example} type="button" onClick={() => go('chat', { write: example })}>
            {example}
          </button>
        ))}
      </div>
      <div>
        <h2>Bring your calendar</h2>
        <p class="quiet">Agents then see when you are busy. You can also drag over free time to make an event.</p>
        <ImportIcs />
      </div>
      <div>
        <h2>Connect an agent</h2>
        <p class="quiet">It can propose, and never decide.</p>
        <button type="button" class="primary" onClick={() => go('agents')}>
          Connect an agent
        </button>
      </div>
    </section>
  );
};
