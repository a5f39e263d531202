/** Agents and keys: who may do what in the name of this person, and which other programs take part. */
import { asOf, travel } from '../state/address.ts';
import { agents, keys, sources } from '../state/data.ts';
import { Sheets } from '../ui/sheet.tsx';
import { Feeds } from './feeds.tsx';
import { Keys } from './keys.tsx';
import { NewAgent } from './new-agent.tsx';
import { Sources } from './sources.tsx';
import { TakeBack } from './take-back.tsx';
import { Webhooks, webhooks } from './webhooks.tsx';

export const Agents = () => (
  <section class="agents">
    <div class="toolbar">
      <h1>Agents and keys</h1>
    </div>
    {asOf.value === undefined ? (
      <Sheets of={[keys, agents, sources, webhooks]}>
        <NewAgent />
        <Keys />
        <Feeds />
        <Sources />
        <Webhooks />
        <TakeBack />
      </Sheets>
    ) : (
      <div class="empty">
        <p>Keys are valid or not valid now, whatever moment is shown.</p>
        <button type="button" onClick={() => travel(undefined)}>
          Back to now
        </button>
      </div>
    )}
  </section>
);
