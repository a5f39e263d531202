/** What was decided, newest first, by agent, task, day and decision. Each decision can be taken back where that is possible. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';
import { agents, hueOf, proposerOf } from '../state/data.ts';
import { attempt } from '../state/messages.ts';
import { resource } from '../state/resource.ts';
import { sentence } from '../state/sentence.ts';
import { client } from '../state/service.ts';
import { asShown, takeBack } from '../state/undo.ts';
import { startText } from '../state/series.ts';
import { momentOf, wallOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { Foreign } from '../ui/text.tsx';
import { codeText } from '../ui/words.ts';
import { Way } from '../ui/way.tsx';
import { shownList } from './refused.tsx';

const DECISIONS = { all: 'All', approved: 'Approved', executed: 'Done', rejected: 'Rejected' } as const;
type Decided = keyof typeof DECISIONS;
const STATUSES = ['approved', 'executed', 'rejected'] as const;

type Filter = { status: Decided; agent: string; task: string; day: string };
const NO_FILTER: Filter = { status: 'all', agent: '', task: '', day: '' };
const filter = signal<Filter>(NO_FILTER);

/** So many of the newest plans are read at a time. */
const STEP = 100;
const most = signal(STEP);

const decided = resource(
  () =>
    shownList.value === 'decided' ? { status: filter.value.status, task: filter.value.task, most: most.value } : null,
  ['plans'],
  async ({ status, task, most: wanted }) => {
    const of = status === 'all' ? STATUSES : [status];
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

const stateOf = ({ status, decision }: Plan): string => {
  const name = status === 'executed' ? 'Done' : status === 'approved' ? 'Approved, waits for its time' : 'Rejected';
  const code = decision?.code ?? '';
  if (status !== 'rejected' || code === 'user') return name;
  return `${name}: ${codeText(code)}`;
};

const wanted = (plan: Plan): boolean => {
  const { agent, day } = filter.value;
  const isOfAgent = agent === '' || (agent === 'you' ? plan.origin === 'user' : plan.proposed_by === `agent:${agent}`);
  return isOfAgent && (day === '' || (plan.decision !== null && wallOf(plan.decision.at).date === day));
};

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
        Take back…
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
      {stateOf(plan)} · {plan.decision ? momentOf(plan.decision.at) : ''} · proposed by{' '}
      <Foreign>{proposerOf(plan)}</Foreign>
      {plan.scheduled_for ? ` · for ${startText(plan)}` : ''}
    </small>
    {plan.decision?.note && (
      <p>
        <Foreign lines={3}>{plan.decision.note}</Foreign>
      </p>
    )}
    <div class="buttons">
      <TakeBack key={plan.version} plan={plan} />
      <Way to="memory" with={{ trace: plan.uid }}>
        History
      </Way>
    </div>
  </li>
);

const Filters = () => {
  const set = (change: Partial<Filter>): void => {
    filter.value = { ...filter.value, ...change };
    most.value = STEP;
  };
  const { status, agent, task, day } = filter.value;
  return (
    <div class="filters" role="group" aria-label="Filter">
      <label class="choice">
        Decision
        <select value={status} onChange={(event) => set({ status: event.currentTarget.value as Decided })}>
          {Object.entries(DECISIONS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        Proposed by
        <select value={agent} onChange={(event) => set({ agent: event.currentTarget.value })}>
          <option value="">Anybody</option>
          <option value="you">You</option>
          {(agents.data.value ?? []).map((one) => (
            <option key={one.agent.id} value={one.agent.id}>
              {one.agent.label}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        Task
        <input value={task} maxLength={200} onChange={(event) => set({ task: event.currentTarget.value.trim() })} />
      </label>
      <label class="choice">
        Day
        <input type="date" value={day} onChange={(event) => set({ day: event.currentTarget.value })} />
      </label>
    </div>
  );
};

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
