/** Everything that waits for a decision, soonest first, for deciding many with the keyboard. */
import { computed, signal } from '@preact/signals';
import { Fragment } from 'preact';
import { asOf, change } from '../state/address.ts';
import { useCommands, type Command } from '../state/commands.ts';
import { agents, hueOf, MOST_SHOWN, notShown, proposerOf, waiting, type Waiting } from '../state/data.ts';
import { approve, decideAll, deciding, reject } from '../state/decide.ts';
import { firstStart, repeats, repetitionText } from '../state/series.ts';
import { lengthText, momentOf } from '../state/wall-time.ts';
import { recordText } from '../ui/agent-record.tsx';
import { Failure } from '../ui/failure.tsx';
import { ProposalCard } from '../ui/proposal-card.tsx';
import { actionOf } from '../ui/proposal-facts.tsx';
import { Foreign } from '../ui/text.tsx';
import { Refused, showRefused } from './refused.tsx';

/** Soonest first; the plans of one request are together, where the first of them is. */
const list = computed(() => {
  const groups = new Map<string, Waiting[]>();
  for (const plan of waiting.data.value ?? []) {
    if (deciding.value.has(plan.uid)) continue;
    const key = plan.proposal_id ?? plan.uid;
    const group = groups.get(key);
    if (group) group.push(plan);
    else groups.set(key, [plan]);
  }
  return [...groups.values()].flat();
});
const groupOf = (plan: Waiting): Waiting[] =>
  plan.proposal_id === null ? [plan] : list.value.filter(({ proposal_id }) => proposal_id === plan.proposal_id);
const current = signal(0);
const selected = signal<ReadonlySet<string>>(new Set());

const index = (): number => Math.min(current.value, Math.max(0, list.value.length - 1));

const toggle = (uid: string): void => {
  const next = new Set(selected.value);
  if (!next.delete(uid)) next.add(uid);
  selected.value = next;
};

/** A request decides at most this many. */
const BATCH = 100;
const chosen = (): Waiting[] => list.value.filter(({ uid }) => selected.value.has(uid));
const decideChosen = async (decision: 'approve' | 'reject'): Promise<void> => {
  const plans = chosen();
  selected.value = new Set();
  for (let i = 0; i < plans.length; i += BATCH) await decideAll(plans.slice(i, i + BATCH), decision);
};

const move = (by: number): void => {
  current.value = Math.max(0, Math.min(list.value.length - 1, index() + by));
  document.querySelector('.queue [aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
};

/** What is done with the current proposal, or with the selected ones. */
const deciders = (plan: Waiting): Command[] => [
  { keys: 'a', name: 'Approve', run: () => void (selected.value.size ? decideChosen('approve') : approve(plan)) },
  { keys: 'r', name: 'Reject', run: () => void (selected.value.size ? decideChosen('reject') : reject(plan)) },
  { keys: 'x', name: 'Select', run: () => toggle(plan.uid) },
  {
    keys: 'e',
    name: 'Edit',
    run: () => document.querySelector<HTMLElement>('.queue .detail [data-edit]')?.click(),
  },
];

const commands = (): Command[] => {
  const plan = list.value[index()];
  return [
    { keys: 'j', name: 'Next proposal', run: () => move(1), onlyKey: true },
    { keys: 'k', name: 'Previous proposal', run: () => move(-1), onlyKey: true },
    ...(plan && asOf.value === undefined ? deciders(plan) : []),
  ];
};

const Row = ({ plan, n }: { plan: Waiting; n: number }) => {
  const isCurrent = index() === n;
  return (
    <li aria-current={isCurrent ? 'true' : undefined} data-hue={hueOf(plan)}>
      {asOf.value === undefined && (
        <input
          type="checkbox"
          aria-label={`Select ${plan.title}`}
          checked={selected.value.has(plan.uid)}
          onChange={() => toggle(plan.uid)}
        />
      )}
      <button type="button" class="body" onClick={() => (current.value = n)}>
        <span class="what">
          <Foreign lines={1}>{plan.title}</Foreign>
          {repeats(plan) && <small>{repetitionText(plan)}</small>}
          {plan.swaps_with !== null && <small>swap</small>}
          {(plan.conflicts_count ?? 0) > 0 && <small class="against">conflicts</small>}
        </span>
        <small>
          {actionOf(plan)} · {plan.scheduled_for ? momentOf(firstStart(plan) as string) : 'at any time'}
          {plan.duration_minutes ? ` · ${lengthText(plan.duration_minutes)}` : ''} ·{' '}
          <Foreign>{proposerOf(plan)}</Foreign>
        </small>
      </button>
    </li>
  );
};

/** Above the plans of one request, where it has several. */
const GroupHead = ({ plan, n }: { plan: Waiting; n: number }) => {
  if (plan.proposal_id === null || list.value[n - 1]?.proposal_id === plan.proposal_id) return null;
  if (list.value[n + 1]?.proposal_id !== plan.proposal_id) return null;
  const group = groupOf(plan);
  const select = (): void => {
    selected.value = new Set([...selected.value, ...group.map(({ uid }) => uid)]);
  };
  return (
    <li class="group-head">
      <small>{group.length} proposed together</small>
      {asOf.value === undefined && (
        <button type="button" class="plain" onClick={select}>
          Select these {group.length}
        </button>
      )}
    </li>
  );
};

/** Who proposes, and what became of it. */
const Records = () => {
  const known = agents.data.value ?? [];
  if (!known.length || asOf.value !== undefined) return null;
  return (
    <details class="records">
      <summary>{known.length === 1 ? 'The agent and its record' : `${known.length} agents and their record`}</summary>
      <ul>
        {known.map((activity) => (
          <li key={activity.agent.id}>
            <Foreign lines={1}>{activity.agent.label}</Foreign> <small>{recordText(activity)}</small>
          </li>
        ))}
      </ul>
    </details>
  );
};

const Batch = () => {
  const count = chosen().length;
  return (
    <div class="batch" role="group" aria-label="Selected proposals">
      <button type="button" onClick={() => (selected.value = new Set(count ? [] : list.value.map(({ uid }) => uid)))}>
        {count ? `Clear ${count} selected` : 'Select all'}
      </button>
      {count > 0 && (
        <>
          <button type="button" class="primary" onClick={() => void decideChosen('approve')}>
            Approve {count}
          </button>
          <button type="button" class="danger" onClick={() => void decideChosen('reject')}>
            Reject {count}
          </button>
        </>
      )}
    </div>
  );
};

const NotAll = () =>
  notShown.value > 0 ? (
    <p class="quiet">
      These are the soonest {MOST_SHOWN}; {notShown.value} more follow when they are decided.
    </p>
  ) : null;

const Pending = () => {
  const plans = list.value;
  const plan = plans[index()];
  if (!waiting.data.value) return waiting.error.value === undefined ? <p class="empty">Loading…</p> : null;
  if (!plan)
    return (
      <p class="empty">{asOf.value === undefined ? 'Nothing waits for you.' : 'Nothing waited for a decision then.'}</p>
    );
  return (
    <div class="two">
      <div>
        <Records />
        {asOf.value === undefined && <Batch />}
        <NotAll />
        <ol class="list">
          {plans.map((one, n) => (
            <Fragment key={one.uid}>
              <GroupHead plan={one} n={n} />
              <Row plan={one} n={n} />
            </Fragment>
          ))}
        </ol>
      </div>
      <div class="detail">
        <ProposalCard key={plan.uid} plan={plan} />
      </div>
    </div>
  );
};

export const Queue = () => {
  useCommands('Queue', commands);
  return (
    <section class="queue">
      <div class="toolbar">
        <h1>Queue</h1>
        {asOf.value === undefined && (
          <div class="group" role="group" aria-label="Show">
            <button type="button" aria-pressed={!showRefused.value} onClick={() => change({ show: undefined })}>
              Waiting
            </button>
            <button type="button" aria-pressed={showRefused.value} onClick={() => change({ show: 'refused' })}>
              Refused by limits
            </button>
          </div>
        )}
        <p class="quiet keys">
          <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> approve · <kbd>r</kbd> reject · <kbd>e</kbd> edit ·{' '}
          <kbd>x</kbd> select
        </p>
      </div>
      {waiting.error.value !== undefined && <Failure error={waiting.error.value} />}
      {showRefused.value && asOf.value === undefined ? <Refused /> : <Pending />}
    </section>
  );
};
