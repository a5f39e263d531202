/** A proposal with everything that a person needs before the click, and the ways to decide on it. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { asOf } from '../state/address.ts';
import { hueOf, proposerOf, siblingsOf, waiting, type Waiting } from '../state/data.ts';
import { approve, deciding, moveProposal, reject, type Edits } from '../state/decide.ts';
import { inOwnTime } from '../state/sentence.ts';
import { amountOf, cancels, changesFollowing, later, repeats } from '../state/series.ts';
import { configures } from '../state/settings.ts';
import { useShown } from '../state/shown.ts';
import { clockText, momentOf, wallMoment } from '../state/wall-time.ts';
import { Against, FreeTimes, takesAnotherTime, useApproval, type Check } from './approval-check.tsx';
import { Question } from './ask-first.tsx';
import { ChangedSince } from './changed-since.tsx';
import { hasDraft, useEditing } from './draft.ts';
import { actionOf, Changes, Fact, Limits, Repetition, Sources, When } from './proposal-facts.tsx';
import type { InView, Moved } from './proposal-facts.tsx';
import { draftOf, Edit } from './proposal-edit.tsx';
import { ReasonLine } from './reason-line.tsx';
import { SettingFacts } from './setting-facts.tsx';
import { Siblings } from './siblings.tsx';
import { whySure } from './sure.ts';
import { Foreign } from './text.tsx';

/** What the card of a plan asks before a key decides: the reason of a rejection, or whether a series or a cancellation is meant. */
export const asked = signal<{ uid: string; about: 'reason' | 'sure' } | undefined>(undefined);
const unask = (): void => {
  asked.value = undefined;
};

const approveText = (plan: Waiting, moved: Moved | undefined, { leftOut }: Check): string => {
  if (moved)
    return repeats(plan)
      ? `Approve at ${clockText(moved.at.minutes)} each time`
      : `Approve at ${wallMoment(moved.at)}${later(plan)}`;
  if (plan.swaps_with !== null) return 'Approve both';
  if (cancels(plan)) return `Approve the ${changesFollowing(plan) ? 'end of the series' : 'cancellation'}`;
  if (repeats(plan)) return `Approve the series (${amountOf(plan, leftOut.length)})`;
  return changesFollowing(plan) ? `Approve this${later(plan)}` : 'Approve';
};

type Props = {
  plan: Waiting;
  /** Another time that the person has dragged it to. */
  moved?: Moved | undefined;
  /** The days that the calendar shows beside it. */
  inView?: InView;
  /** Its day, where no calendar is beside it. */
  day?: ComponentChildren;
  /** Whether it stays; else it only follows the pointer. */
  pinned?: boolean;
  onDone?: () => void;
  /** Another button of the screen that shows it. */
  more?: ComponentChildren;
  /** Whether the prompt that it answers is above it. */
  answers?: boolean;
  /** What the screen shows in place of the buttons; it is given whether the card was shown for long enough to decide on it. */
  instead?: ((ready: boolean) => ComponentChildren) | undefined;
  /** What is shown where the proposal is gone from the screen; a form in which the person writes stays. */
  gone?: ComponentChildren;
};

type ButtonsProps = Pick<Props, 'plan' | 'moved' | 'more'> & {
  check: Check;
  ready: boolean;
  isEnded: boolean;
  onDone: () => void;
  onEdit: () => void;
};

const Buttons = ({ plan, moved, more, check, ready, isEnded, onDone, onEdit }: ButtonsProps) => {
  /** Where it does not work, the reason that was written stays. */
  const decide = async (work: Promise<boolean>): Promise<boolean> => {
    if (!(await work)) return false;
    if (asked.value?.uid === plan.uid) unask();
    onDone();
    return true;
  };
  const own: Edits = moved ? { at: moved.at, duration_minutes: moved.duration_minutes } : {};
  const onApprove = (edits = own): void => void decide(approve(plan, { edits }));
  const about = asked.value?.uid === plan.uid ? asked.value.about : undefined;
  const rejectText = plan.swaps_with === null ? 'Reject' : 'Reject both';
  if (about === 'reason')
    return (
      <ReasonLine
        name={rejectText}
        about={plan.uid}
        isOpen={!isEnded}
        onReject={(note) => decide(reject(plan, { note }))}
        onKeep={unask}
      />
    );
  if (about === 'sure')
    return (
      <Question
        label={`${approveText(plan, moved, check)}?`}
        why={whySure(plan, check.leftOut.length)}
        confirm={approveText(plan, moved, check)}
        keep="Not yet"
        onConfirm={() => onApprove()}
        onKeep={unask}
      />
    );
  return (
    <>
      <div class="buttons">
        <button type="button" class="primary" data-approve="" aria-disabled={!ready} onClick={() => onApprove()}>
          {approveText(plan, moved, check)}
        </button>
        {moved && (
          <button type="button" onClick={() => void decide(moveProposal(plan, moved.at, moved.duration_minutes))}>
            Only move
          </button>
        )}
        {/* A cancellation has nothing that could be another value. */}
        {!cancels(plan) && (
          <button type="button" data-edit="" onClick={onEdit}>
            Edit
          </button>
        )}
        <button type="button" class="danger" onClick={() => (asked.value = { uid: plan.uid, about: 'reason' })}>
          {rejectText}
        </button>
        {more}
      </div>
      {/* Behind the buttons, which stay at the lower edge of a phone and would cover them. */}
      {takesAnotherTime(plan, check) && (
        <FreeTimes plan={plan} moved={moved} onApprove={(edits) => onApprove({ ...own, ...edits })} />
      )}
    </>
  );
};

/** What was typed is kept. A card of the calendar closes as a whole. */
const closeByKey = (event: KeyboardEvent, leave: () => void): void => {
  if (event.key !== 'Escape' || event.isComposing || (event.target as Element).closest('.card')) return;
  leave();
  document.querySelector('main')?.focus({ preventScroll: true });
};

export const ProposalCard = ({
  plan,
  moved,
  inView,
  day,
  pinned = true,
  onDone = () => undefined,
  answers = false,
  more,
  instead,
  gone,
}: Props) => {
  // On the calendar the person opens each card. Elsewhere the next one comes by itself, and what they type then is not for its form.
  const { isEditing, edit, leave } = useEditing(draftOf(plan), pinned && inView !== undefined);
  const title = useRef<HTMLHeadingElement>(null);
  // The form asks for the time that is typed.
  const isTyping = isEditing && plan.swaps_with === null;
  const others = siblingsOf(plan);
  const ready = useShown('card', [plan, ...others], title);
  const isOpen = plan.status === 'proposed' && (waiting.data.value?.some(({ uid }) => uid === plan.uid) ?? false);
  const check = useApproval(plan, moved, isOpen && !isTyping);
  // The own decision may be known before its answer.
  const isEnded = !isOpen && !deciding.value.has(plan.uid);
  const isReason = asked.value?.uid === plan.uid && asked.value.about === 'reason';
  if (gone && !isEditing && !isReason) return gone;
  return (
    <article class="proposal" data-hue={hueOf(plan)} aria-label={`Proposal: ${plan.title}`}>
      <p class="who">
        <span class="dot" aria-hidden="true" /> <Foreign lines={1}>{proposerOf(plan)}</Foreign> · {actionOf(plan)}
      </p>
      <h2 ref={title}>
        <Foreign>{plan.title}</Foreign>
      </h2>
      <When plan={plan} moved={moved} />
      {day}
      <dl>
        <Repetition plan={plan} inView={inView} />
        <Changes plan={plan} />
        {configures(plan) && <SettingFacts plan={plan} isOver={isEnded && asOf.value === undefined} />}
        <dt>Why</dt>
        <dd class="scrolls" tabIndex={0}>
          <Foreign>{inOwnTime(plan.reasoning) || 'No reason is given.'}</Foreign>
        </dd>
        {!answers && <Sources plan={plan} />}
        {!isTyping && <Against plan={plan} check={check} moved={moved} />}
        <Limits plan={plan} moved={moved} />
        {plan.expires_at && plan.expires_at !== plan.scheduled_for && (
          <Fact name="Expires">{momentOf(plan.expires_at)}</Fact>
        )}
      </dl>
      {isEnded && asOf.value === undefined && (
        <p class="past-note" role="status">
          This proposal no longer waits for you.{(isEditing || isReason) && ' What you have written stays here.'}
        </p>
      )}
      {asOf.value !== undefined ? (
        <p class="past-note">It waited for a decision at that time.</p>
      ) : isEditing ? (
        <div onKeyDown={(event) => closeByKey(event, leave)}>
          <Edit plan={plan} moved={moved} isEnded={isEnded} onDone={() => (leave(), onDone())} />
        </div>
      ) : instead ? (
        instead(ready)
      ) : (
        <>
          {(isOpen || isEnded) && hasDraft(draftOf(plan)) && (
            <div class="quiet draft" role="status">
              <p>You typed changes before and did not send them.</p>
              <button type="button" class="plain" onClick={edit}>
                Bring them back
              </button>
            </div>
          )}
          {(isOpen || isReason) && <Buttons {...{ plan, moved, more, check, ready, isEnded, onDone }} onEdit={edit} />}
        </>
      )}
      {isOpen && !isEditing && <ChangedSince plan={plan} />}
      {isOpen && !instead && <Siblings {...{ plan, others, ready, onDone }} />}
    </article>
  );
};
