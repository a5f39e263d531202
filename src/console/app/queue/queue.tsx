/** Everything that waits for a decision, soonest first, for deciding many with the keyboard. */
import { signal } from '@preact/signals';
import { Fragment } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { asOf, change } from '../state/address.ts';
import { useCommands, type Command } from '../state/commands.ts';
import { agents, hueOf, MOST_SHOWN, notShown, proposerOf, waiting, type Waiting } from '../state/data.ts';
import { decideAll, type Decision } from '../state/decide.ts';
import { firstStart, repeats, repetitionText } from '../state/series.ts';
import { useShown } from '../state/shown.ts';
import { lengthText, momentOf } from '../state/wall-time.ts';
import { recordText } from '../ui/agent-record.tsx';
import { Failure } from '../ui/failure.tsx';
import { asked, ProposalCard } from '../ui/proposal-card.tsx';
import { actionOf } from '../ui/proposal-facts.tsx';
import { ReasonLine } from '../ui/reason-line.tsx';
import { Foreign } from '../ui/text.tsx';
import { current, fresh, groupOf, isWaiting, list, open, read, readNext, showFresh } from './reading.ts';
import { Decided } from './decided.tsx';
import { Refused, shownList, type Shown } from './refused.tsx';

const selected = signal<ReadonlySet<string>>(new Set());
/** Whether the reason is asked for which the selected ones are rejected. */
const rejecting = signal(false);

const toggle = (uid: string): void => {
  const next = new Set(selected.value);
  if (!next.delete(uid)) next.add(uid);
  selected.value = next;
};

/** A request decides at most this many. */
const BATCH = 100;
const chosen = (): Waiting[] => list.value.filter(({ uid }) => selected.value.has(uid));
/** @returns whether all of them were decided on */
const decideChosen = async (decision: Decision, note?: string): Promise<boolean> => {
  const plans = chosen();
  for (let i = 0; i < plans.length; i += BATCH)
    if (!(await decideAll(plans.slice(i, i + BATCH), decision, { place: 'row', note }))) return false;
  rejecting.value = false;
  selected.value = new Set();
  return true;
};

const move = (by: 1 | -1): void => {
  readNext(by);
  document.querySelector('.queue [aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
};

/** Presses a button of the card that is shown, which asks where a question belongs to it. */
const press = (what: 'approve' | 'edit' | `free="${number}"`): void =>
  document.querySelector<HTMLElement>(`.queue .detail [data-${what}]`)?.click();

/** What is done with the current proposal, or with the selected ones. */
const deciders = (plan: Waiting): Command[] => [
  {
    keys: 'a',
    name: 'Approve',
    run: () => {
      if (chosen().length) void decideChosen('approve');
      else if (repeats(plan)) asked.value = { uid: plan.uid, about: 'series' };
      else press('approve');
    },
  },
  {
    keys: 'r',
    name: 'Reject, with a reason',
    run: () => {
      if (chosen().length) rejecting.value = true;
      else asked.value = { uid: plan.uid, about: 'reason' };
    },
  },
  { keys: 'x', name: 'Select', run: () => toggle(plan.uid) },
  { keys: 'e', name: 'Edit', run: () => press('edit') },
  ...[1, 2, 3].map((n) => ({
    keys: `${n}`,
    name: `Approve at the free time ${n}`,
    run: () => press(`free="${n}"`),
    onlyKey: true,
  })),
];

const commands = (): Command[] => {
  const plan = current.value;
  if (shownList.value !== 'waiting') return [];
  return [
    { keys: 'j', name: 'Next proposal', run: () => move(1), onlyKey: true },
    { keys: 'k', name: 'Previous proposal', run: () => move(-1), onlyKey: true },
    { keys: 'n', name: 'Show the new proposals', run: showFresh, onlyKey: true },
    ...(plan && asOf.value === undefined && isWaiting(plan) ? deciders(plan) : []),
  ];
};

const Row = ({ plan }: { plan: Waiting }) => {
  const isCurrent = current.value?.uid === plan.uid;
  useShown('row', [plan]);
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
      <button type="button" class="body" onClick={() => read(plan)}>
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

const clear = (): void => {
  selected.value = new Set();
};

const SelectAll = () => (
  <div class="batch">
    <button type="button" onClick={() => (selected.value = new Set(list.value.map(({ uid }) => uid)))}>
      Select all
    </button>
  </div>
);

/** While rows are selected, all buttons and keys decide on these, and say so. */
const Batch = () => {
  const plans = chosen();
  const count = plans.length;
  const ready = useShown('row', plans);
  if (rejecting.value)
    return (
      <ReasonLine
        name={`Reject ${count} selected`}
        about="selected"
        onReject={(note) => decideChosen('reject', note)}
        onKeep={() => (rejecting.value = false)}
      />
    );
  return (
    <div class="buttons" role="group" aria-label="Selected proposals">
      <button type="button" class="primary" aria-disabled={!ready} onClick={() => void decideChosen('approve')}>
        Approve {count} selected
      </button>
      <button type="button" class="danger" onClick={() => (rejecting.value = true)}>
        Reject {count} selected
      </button>
      <button type="button" onClick={clear}>
        Clear the selection
      </button>
    </div>
  );
};

/** What came since, above the list, so that nothing moves under the reader. */
const Fresh = () => {
  const { length } = fresh.value;
  return (
    <p class="fresh" role="status">
      {length > 0 && (
        <button type="button" onClick={showFresh}>
          {length} new <kbd>n</kbd>
        </button>
      )}
    </p>
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
  const plan = current.value;
  if (!waiting.data.value) return waiting.error.value === undefined ? <p class="empty">Loading…</p> : null;
  if (!plan)
    return (
      <p class="empty">{asOf.value === undefined ? 'Nothing waits for you.' : 'Nothing waited for a decision then.'}</p>
    );
  return (
    <div class="two">
      <div>
        <Records />
        {asOf.value === undefined && <SelectAll />}
        <Fresh />
        <NotAll />
        <ol class="list">
          {plans.map((one, n) => (
            <Fragment key={one.uid}>
              <GroupHead plan={one} n={n} />
              <Row plan={one} />
            </Fragment>
          ))}
        </ol>
      </div>
      <div class="detail">
        <ProposalCard key={plan.uid} plan={plan} instead={chosen().length > 0 && <Batch />} />
      </div>
    </div>
  );
};

const LISTS: [Shown, string][] = [
  ['waiting', 'Waiting'],
  ['decided', 'Decided'],
  ['refused', 'Refused by limits'],
];

export const Queue = () => {
  useCommands('Queue', commands);
  useLayoutEffect(open, []);
  return (
    <section class="queue">
      <div class="toolbar">
        <h1>Queue</h1>
        {asOf.value === undefined && (
          <div class="group" role="group" aria-label="Show">
            {LISTS.map(([show, name]) => (
              <button
                key={show}
                type="button"
                aria-pressed={shownList.value === show}
                onClick={() => change({ show: show === 'waiting' ? undefined : show })}
              >
                {name}
              </button>
            ))}
          </div>
        )}
        <p class="quiet keys">
          <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> approve · <kbd>r</kbd> reject · <kbd>e</kbd> edit ·{' '}
          <kbd>x</kbd> select · <kbd>z</kbd> undo
        </p>
      </div>
      {waiting.error.value !== undefined && <Failure error={waiting.error.value} />}
      {shownList.value === 'refused' ? <Refused /> : shownList.value === 'decided' ? <Decided /> : <Pending />}
    </section>
  );
};
