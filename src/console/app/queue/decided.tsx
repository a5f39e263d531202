/** What was decided, newest first, by agent, task, day and decision. Each decision can be taken back where that is possible. */
import { computed, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';
import { change, parameter } from '../state/address.ts';
import { agents, hueOf, proposerId, proposerOf } from '../state/data.ts';
import { attempt } from '../state/messages.ts';
import { resource } from '../state/resource.ts';
import { sentence } from '../state/sentence.ts';
import { client } from '../state/service.ts';
import { configures } from '../state/settings.ts';
import { asShown, takeBack } from '../state/undo.ts';
import { startText } from '../state/series.ts';
import { momentOf, wallOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { Choice, Day } from '../ui/filters.tsx';
import { SettingFacts } from '../ui/setting-facts.tsx';
import { Foreign } from '../ui/text.tsx';
import { noteSentence, outcomeOf, outcomeText } from '../ui/words.ts';
import { Way } from '../ui/way.tsx';
import { shownList } from './refused.tsx';

const STATUSES = ['approved', 'executed', 'rejected'] as const;
/** The status by which the service finds the plans of each choice. What ended without an approval has one status. */
const OUTCOMES = [
  ['approved', 'Approved', 'approved'],
  ['executed', 'Done', 'executed'],
  ['rejected', 'Rejected', 'rejected'],
  ['expired', 'Expired', 'rejected'],
  ['withdrawn', 'Withdrawn', 'rejected'],
  ['refused', 'Refused automatically', 'rejected'],
  ['ended', 'Ended otherwise', 'rejected'],
] as const;
const DECISIONS = [['', 'All'], ...OUTCOMES.map(([value, name]) => [value, name] as const)] as const;

const filter = computed(() => {
  const [asked, by, task, day] = ['status', 'by', 'task', 'day'].map(parameter);
  const [outcome, , status] = OUTCOMES.find(([one]) => one === asked) ?? [];
  return { outcome, status, by, task, day };
});

/** So many of the newest plans are read at a time. */
const STEP = 100;
const most = signal(STEP);

const decided = resource(
  () =>
    shownList.value === 'decided' ? { status: filter.value.status, task: filter.value.task, most: most.value } : null,
  ['plans'],
  async ({ status, task, most: wanted }) => {
    const of = status === undefined ? STATUSES : [status];
    const pages = await Promise.all(
      of.map((one) =>
        client.memory
          .pull({ type: 'agent_plan', status: one, limit: wanted, ...(task ? { task_id: task } : {}) })
          .page(),
      ),
    );
    const plans = pages.flatMap(({ items }) => items as Plan[]);
    const at = ({ decision, updated_at }: Plan): string => decision?.at ?? updated_at;
    return {
      plans: plans.toSorted((a, b) => at(b).localeCompare(at(a))).slice(0, wanted),
      more: pages.some(({ cursor }) => cursor !== null) || plans.length > wanted,
    };
  },
);

const wanted = (plan: Plan): boolean => {
  const { outcome, by, day } = filter.value;
  if (outcome !== undefined && outcomeOf(plan) !== outcome) return false;
  const isOnDay = day === undefined || (plan.decision !== null && wallOf(plan.decision.at).date === day);
  return isOnDay && (by === undefined || proposerId(plan) === by);
};

/** What ended by itself is not taken back: nobody did it. */
const isByPerson = (plan: Plan): boolean => plan.status !== 'rejected' || outcomeOf(plan) === 'rejected';

/** Asks the service whether it would be possible, before the person decides to do it. */
const TakeBack = ({ plan }: { plan: Plan }) => {
  const [why, setWhy] = useState<string>();
  const [asked, setAsked] = useState(false);
  const ask = async (): Promise<void> => {
    try {
      await client.agent.undo({ ...(await asShown(plan)), simulate: true });
      setAsked(true);
    } catch (error) {
      setWhy(sentence(error));
    }
  };
  if (why !== undefined) return <p class="quiet">This cannot be taken back. {why}</p>;
  if (!asked)
    return (
      <button type="button" onClick={() => void ask()}>
        {isByPerson(plan) ? 'Take back…' : 'Let it wait again…'}
      </button>
    );
  return (
    <span class="buttons" role="group" aria-label={`Take back: ${plan.title}`}>
      <button type="button" class="danger" onClick={() => void attempt(() => takeBack(plan))}>
        {plan.status === 'executed' ? 'Undo what it did, and let it wait again' : 'Let it wait again'}
      </button>
      <button type="button" onClick={() => setAsked(false)}>
        Keep
      </button>
    </span>
  );
};

const One = ({ plan }: { plan: Plan }) => (
  <li data-hue={hueOf(plan)}>
    <h2>
      <Foreign lines={2}>{plan.title}</Foreign>
    </h2>
    <small>
      {outcomeText(plan)} · {plan.decision ? momentOf(plan.decision.at) : ''} · proposed by{' '}
      <Foreign>{proposerOf(plan)}</Foreign>
      {plan.scheduled_for ? ` · for ${startText(plan)}` : ''}
    </small>
    {plan.decision?.note && (
      <p>
        <Foreign lines={3}>{noteSentence(plan.decision)}</Foreign>
      </p>
    )}
    {configures(plan) && (
      <dl>
        <SettingFacts plan={plan} isOver />
      </dl>
    )}
    <div class="buttons">
      <TakeBack key={plan.version} plan={plan} />
      <Way to="memory" with={{ trace: plan.uid }}>
        History
      </Way>
    </div>
  </li>
);

const Filters = () => (
  <div class="filters" role="group" aria-label="Filter">
    <Choice label="Decision" name="status" options={DECISIONS} />
    <Choice
      label="Proposed by"
      name="by"
      options={[
        ['', 'anybody'],
        ['user', 'you'],
        ...(agents.data.value ?? []).map(({ agent }) => [`agent:${agent.id}`, agent.label] as const),
      ]}
    />
    <label class="choice">
      Task
      <input
        value={filter.value.task ?? ''}
        maxLength={200}
        onChange={(event) => change({ task: event.currentTarget.value.trim() || undefined })}
      />
    </label>
    <Day name="day" label="Decided on" />
  </div>
);

export const Decided = () => {
  const found = decided.data.value;
  const shown = found?.plans.filter(wanted) ?? [];
  return (
    <>
      <Filters />
      {decided.error.value !== undefined && <Failure error={decided.error.value} />}
      {!found && decided.error.value === undefined && <p class="empty">Loading…</p>}
      {found && shown.length === 0 && <p class="empty">No decision of this kind is among the newest {most.value}.</p>}
      <ul class="refused">
        {shown.map((plan) => (
          <One key={plan.uid} plan={plan} />
        ))}
      </ul>
      {found?.more && (
        <p class="older">
          <button type="button" disabled={decided.stale.value} onClick={() => (most.value += STEP)}>
            Look for older ones
          </button>
        </p>
      )}
    </>
  );
};
