/** Proposals that a limit or the calendar refused, newest first, each with free times at which it can be proposed again. */
import { computed, signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import { asOf, parameter } from '../state/address.ts';
import { hueOf, proposerOf } from '../state/data.ts';
import { alternativesOf, proposeAgain } from '../state/propose-again.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { Times } from '../ui/proposal-facts.tsx';
import { Foreign } from '../ui/text.tsx';
import { Way } from '../ui/way.tsx';
import { isRefused, noteSentence, ONLY_IN_TEMPO, reasonText, type Decision } from '../ui/words.ts';

export type Shown = 'waiting' | 'decided' | 'refused';
export const shownList = computed<Shown>(() => {
  const asked = parameter('show');
  return asOf.value === undefined && (asked === 'decided' || asked === 'refused') ? asked : 'waiting';
});

/** So many of the newest rejected proposals are read; among them are those that the person rejected. */
const STEP = 200;
const read = signal(STEP);

type RefusedPlan = Plan & { decision: Decision };
const wasRefused = (plan: Plan): plan is RefusedPlan => plan.decision !== null && isRefused(plan.decision.code);

const refused = resource(
  () => (shownList.value === 'refused' ? { most: read.value } : null),
  ['plans'],
  async ({ most }) => {
    const plans: RefusedPlan[] = [];
    let cursor: string | null | undefined;
    for (let left = most; left > 0 && cursor !== null; left -= STEP) {
      const page = await client.memory.pull({ type: 'agent_plan', status: 'rejected', limit: STEP }).page(cursor);
      plans.push(...(page.items as Plan[]).filter(wasRefused));
      cursor = page.cursor;
    }
    return { plans, more: cursor !== null };
  },
);

/** Where the person can change what refused it; a time that was taken is no setting. */
const Setting = ({ code }: Decision) => {
  const isLimit = code.startsWith('limit:');
  if (!isLimit && code !== ONLY_IN_TEMPO) return null;
  return (
    <Way to="tempo" with={{ limit: code }}>
      {isLimit ? 'See this limit' : 'See the tempo hours'}
    </Way>
  );
};

/** The free times that a proposal offers. */
const OFFERED = 4;

const One = ({ plan }: { plan: RefusedPlan }) => (
  <li data-hue={hueOf(plan)}>
    <h2>
      <Foreign lines={2}>{plan.title}</Foreign>
    </h2>
    <small>
      <Times plan={plan} /> · <Foreign>{proposerOf(plan)}</Foreign> · {reasonText(plan.decision)}
    </small>
    <p>
      <Foreign lines={4}>{noteSentence(plan.decision)}</Foreign>
    </p>
    <div class="buttons">
      <Setting {...plan.decision} />
      {alternativesOf(plan, OFFERED).map(({ start }) => (
        <button key={start} type="button" onClick={() => void proposeAgain(plan, start)}>
          Propose for {momentOf(start)}
        </button>
      ))}
    </div>
  </li>
);

export const Refused = () => {
  const found = refused.data.value;
  if (refused.error.value !== undefined) return <Failure error={refused.error.value} />;
  if (!found) return <p class="empty">Loading…</p>;
  const { plans, more } = found;
  return (
    <>
      {plans.length === 0 && <p class="empty">No proposal was refused by a limit or the calendar.</p>}
      <ul class="refused">
        {plans.map((plan) => (
          <One key={plan.uid} plan={plan} />
        ))}
      </ul>
      {more && (
        <p class="older">
          <button type="button" disabled={refused.stale.value} onClick={() => (read.value += STEP)}>
            Look for older ones
          </button>{' '}
          <span class="quiet">The newest {read.value} rejected proposals were looked at.</span>
        </p>
      )}
    </>
  );
};
