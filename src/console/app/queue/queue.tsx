/** Everything that waits for a decision, soonest first, for deciding many with the keyboard. */
import { computed } from '@preact/signals';
import { Fragment } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { asOf, change } from '../state/address.ts';
import { useCommands, type Command } from '../state/commands.ts';
import { agents, MOST_SHOWN, notShown, proposerId, proposerOf, waiting, type Waiting } from '../state/data.ts';
import { ended, forgetEnded } from '../state/ended.ts';
import { isNarrow } from '../state/narrow.ts';
import { isRead } from '../state/resource.ts';
import { recordText } from '../ui/agent-record.tsx';
import { DayStrip } from '../ui/day-strip.tsx';
import { Failure } from '../ui/failure.tsx';
import { Choice } from '../ui/filters.tsx';
import { useNotice } from '../ui/messages.tsx';
import { asked, ProposalCard } from '../ui/proposal-card.tsx';
import { mustAsk } from '../ui/sure.ts';
import { Foreign } from '../ui/text.tsx';
import { Way } from '../ui/way.tsx';
import { cut, reasonText } from '../ui/words.ts';
import {
  current,
  fresh,
  groupOf,
  isOfAnotherMoment,
  isOpened,
  isWaiting,
  list,
  open,
  read,
  readNext,
  showFresh,
  shownProposer,
} from './reading.ts';
import { Decided } from './decided.tsx';
import { isCardShown, isReadBy, isUnderWay, showCard, showCurrent, waiters } from './in-view.ts';
import { Refused, shownList, type Shown } from './refused.tsx';
import { Row } from './row.tsx';
import { Swiped } from './swiped.tsx';
import {
  approveChosen,
  asking,
  Batch,
  clear,
  isApart,
  isBatch,
  leadToSelected,
  select,
  SelectAll,
  toggle,
  turnBack,
  turnTo,
} from './selection.tsx';

const move = (by: 1 | -1): void => {
  if (isCardShown.value) readNext(by);
  turnTo();
  isOpened.value = true;
  showCurrent();
};

/** Those that come before the one that is read move its row. */
const joinFresh = (): void => {
  showFresh();
  showCurrent();
};

/** While rows are ticked, a phone shows only their buttons. */
const isBar = computed(() => isNarrow.value && isBatch.value && !isApart.value);

/** Presses a button of the card that is shown, which asks where a question belongs to it. */
const press = (what: 'approve' | 'edit' | `free="${number}"`): void =>
  document.querySelector<HTMLElement>(`.queue .detail [data-${what}]`)?.click();

/** Approves the proposal of the card. A series and a cancellation ask first. */
const approveShown = (plan: Waiting): void => {
  if (mustAsk(plan)) asked.value = { uid: plan.uid, about: 'sure' };
  else press('approve');
};
const askReason = (plan: Waiting): void => {
  asked.value = { uid: plan.uid, about: 'reason' };
};

/** What is done with the current proposal, or with the selected ones. */
const deciders = (plan: Waiting): Command[] => [
  {
    keys: 'a',
    name: 'Approve',
    run: () => {
      if (isApart.value) leadToSelected();
      else if (isBatch.value) void approveChosen();
      else if (isReadBy(plan)) approveShown(plan);
    },
  },
  {
    keys: 'r',
    name: 'Reject, with a reason',
    run: () => {
      if (isBatch.value) asking.value = 'reject';
      else if (isReadBy(plan, true)) askReason(plan);
    },
  },
  { keys: 'x', name: 'Select', run: () => toggle(plan.uid) },
  { keys: 'e', name: 'Edit', run: () => press('edit') },
  ...[1, 2, 3].map((n) => ({
    keys: `${n}`,
    name: `Approve at the free time ${n}`,
    run: () => {
      if (isReadBy(plan)) press(`free="${n}"`);
    },
    onlyKey: true,
  })),
];

const commands = (): Command[] => {
  const plan = current.value;
  if (shownList.value !== 'waiting') return [];
  return [
    { keys: 'j', name: 'Next proposal', run: () => move(1), onlyKey: true },
    { keys: 'k', name: 'Previous proposal', run: () => move(-1), onlyKey: true },
    { keys: 'n', name: 'Show the new proposals', run: joinFresh, onlyKey: true },
    ...(plan && asOf.value === undefined ? (isWaiting(plan) ? deciders(plan) : isUnderWay(plan) ? waiters : []) : []),
  ];
};

/** Where the card is above the list, it comes into view. */
const readRow = (plan: Waiting): void => {
  read(plan);
  turnTo();
  isOpened.value = true;
  requestAnimationFrame(showCard);
};

/** Above the plans of one request, where it has several. */
const GroupHead = ({ plan, n }: { plan: Waiting; n: number }) => {
  if (plan.proposal_id === null || list.value[n - 1]?.proposal_id === plan.proposal_id) return null;
  if (list.value[n + 1]?.proposal_id !== plan.proposal_id) return null;
  const group = groupOf(plan);
  return (
    <li class="group-head">
      <small>{group.length} proposed together</small>
      {asOf.value === undefined && (
        <button type="button" class="plain" onClick={() => select(group)}>
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

const MOST_OF_TITLE = 40;

/** What stopped waiting by itself, so that nothing is gone without a word. */
const Ended = () => {
  if (!ended.value) return null;
  const { last, count } = ended.value;
  return (
    <p>
      <span>
        “<Foreign>{cut(last.title, MOST_OF_TITLE)}</Foreign>” no longer waits
        {last.decision && `: ${reasonText(last.decision)}`}.
        {count > 1 && ` ${count - 1} more ${count === 2 ? 'does' : 'do'} not wait either.`}
      </span>
      <Way to="queue" with={{ show: 'decided' }}>
        Show decided
      </Way>
      <button type="button" onClick={forgetEnded}>
        OK
      </button>
    </p>
  );
};

/** Only where several propose. */
const ByWhom = () => {
  const names = new Map((waiting.data.value ?? []).map((plan) => [proposerId(plan), proposerOf(plan)]));
  if (names.size < 2 && shownProposer.value === undefined) return null;
  return <Choice label="Proposed by" name="by" options={[['', 'anybody'], ...names]} />;
};

/** What came since, above the list, in a place that is kept for it, so that nothing moves under the reader. */
const Fresh = () => {
  const { length } = fresh.value;
  return (
    <p class="fresh" role="status">
      {length > 0 && (
        <button type="button" onClick={joinFresh}>
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

/** Beside ticked rows, their buttons are there again. */
const close = (): void => {
  isOpened.value = false;
  turnBack();
};

const Card = ({ plan }: { plan: Waiting }) => {
  // Another one takes its place where the last one was decided on.
  useLayoutEffect(() => void requestAnimationFrame(showCard), [plan.uid]);
  const maySwipe = isNarrow.value && !isBatch.value && asOf.value === undefined && isWaiting(plan);
  return (
    <Swiped
      class="detail"
      key={plan.uid}
      {...(maySwipe ? { onRight: () => approveShown(plan), onLeft: () => askReason(plan) } : {})}
    >
      {isNarrow.value && (
        <button type="button" class="plain close" aria-label="Close the card" onClick={close}>
          ×
        </button>
      )}
      <ProposalCard
        plan={plan}
        day={<DayStrip plan={plan} />}
        instead={isBatch.value ? (ready) => <Batch isRead={ready} /> : undefined}
      />
    </Swiped>
  );
};

const Pending = () => {
  const plans = list.value;
  const plan = current.value;
  if (!waiting.data.value || !isRead(agents) || isOfAnotherMoment.value)
    return waiting.error.value === undefined ? <p class="empty">Loading…</p> : null;
  if (!plan)
    return (
      <div class="empty">
        <p>
          {asOf.value === undefined ? 'Nothing waits for you' : 'Nothing waited for a decision then'}
          {shownProposer.value === undefined ? '.' : ' from the one that is chosen.'}
        </p>
        <ByWhom />
      </div>
    );
  return (
    <div class="two">
      <div>
        <Records />
        <div class="batch">
          {asOf.value === undefined && <SelectAll />}
          <ByWhom />
          {isNarrow.value && asOf.value === undefined && (
            <p class="quiet how">Swipe right to approve, left to reject.</p>
          )}
          <Fresh />
        </div>
        <NotAll />
        <ol class="list">
          {plans.map((one, n) => (
            <Fragment key={one.uid}>
              <GroupHead plan={one} n={n} />
              <Row plan={one} onRead={readRow} onSwiped={() => (isOpened.value = false)} />
            </Fragment>
          ))}
        </ol>
      </div>
      {isBar.value ? (
        <div class="detail" data-bar="">
          <Batch />
        </div>
      ) : (
        isCardShown.value && <Card plan={plan} />
      )}
    </div>
  );
};

const LISTS: [Shown, string][] = [
  ['waiting', 'Waiting'],
  ['decided', 'Decided'],
  ['refused', 'Refused automatically'],
];

export const Queue = () => {
  useCommands('Queue', commands);
  useNotice(Ended);
  useLayoutEffect(() => {
    open();
    // What was ticked or opened before another screen is not remembered by the person.
    return () => {
      clear();
      isOpened.value = false;
    };
  }, []);
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
        {shownList.value === 'waiting' && asOf.value === undefined && (
          <p class="quiet keys">
            <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> approve · <kbd>r</kbd> reject · <kbd>e</kbd> edit ·{' '}
            <kbd>x</kbd> select · <kbd>z</kbd> undo
          </p>
        )}
      </div>
      {waiting.error.value !== undefined && <Failure error={waiting.error.value} />}
      {shownList.value === 'refused' ? <Refused /> : shownList.value === 'decided' ? <Decided /> : <Pending />}
    </section>
  );
};
