/** A proposal with everything that a person needs before the click, and the ways to decide on it. */
import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { asOf } from '../state/address.ts';
import { hueOf, proposerOf, siblingsOf, waiting, type Waiting } from '../state/data.ts';
import { approve, decideAll, moveProposal, reject, type Decision, type Edits } from '../state/decide.ts';
import { inOwnTime } from '../state/sentence.ts';
import { amountOf, cancels, repeats } from '../state/series.ts';
import { useShown } from '../state/shown.ts';
import { clockText, momentOf, wallFrom, wallMoment, wallOf, wallText } from '../state/wall-time.ts';
import { Against, FreeTimes, takesAnotherTime, useApproval, type Check } from './approval-check.tsx';
import { Question } from './ask-first.tsx';
import { useEditing } from './draft.ts';
import type { Fields } from './fields.ts';
import { Form, FormButtons } from './form.tsx';
import { actionOf, Changes, Fact, Limits, Repetition, Sources, Times, When } from './proposal-facts.tsx';
import type { InView, Moved } from './proposal-facts.tsx';
import { LengthFields } from './length-fields.tsx';
import { Meanwhile } from './meanwhile.tsx';
import { ReasonLine } from './reason-line.tsx';
import { sureText, whySure } from './sure.ts';
import { Foreign } from './text.tsx';
import { useFocus } from './use-focus.ts';

type FormProps = { plan: Waiting; moved: Moved | undefined; onDone: () => void };

const dayOf = ({ scheduled_for: at }: Waiting): string | undefined => (at ? wallOf(at).date : undefined);

/** Of a series the time of day can be changed; other days need another rule, which only words can say. */
const StartField = ({ plan, moved }: Omit<FormProps, 'onDone'>) => {
  const at = moved?.at ?? (plan.scheduled_for ? wallOf(plan.scheduled_for) : undefined);
  if (!repeats(plan))
    return (
      <label>
        Start <input name="start" type="datetime-local" defaultValue={at && wallText(at)} />
      </label>
    );
  return (
    <label>
      Time of day, each time <input name="start" type="time" required defaultValue={at && wallText(at).slice(11)} />
    </label>
  );
};

const draftOf = ({ uid }: Waiting): string => `proposal ${uid}`;

const EDITED = ['title', 'scheduled_for', 'duration_minutes', 'rrule', 'content', 'arguments'] as const;

/** What the person sees in the form is what they approve, also where the plan changes meanwhile. */
const Edit = ({ plan: now, ...rest }: FormProps) => {
  const base = useSignal(now);
  return (
    <>
      <Meanwhile base={base} now={now} fields={EDITED} />
      <EditForm key={base.value.version} plan={base.value} {...rest} />
    </>
  );
};

const EditForm = ({ plan, moved, onDone }: FormProps) => {
  const title = useFocus<HTMLInputElement>();
  const onSend = async ({ text }: Fields): Promise<boolean> => {
    const [title, start, minutes, note] = [text('title'), text('start'), text('minutes'), text('note')];
    const now = plan.scheduled_for ? wallText(wallOf(plan.scheduled_for)) : '';
    const asked = start && repeats(plan) ? `${now.slice(0, 10)}T${start}` : start;
    const edits: Edits = {
      ...(title === plan.title ? {} : { title }),
      ...(asked && asked !== now ? { at: wallFrom(asked) } : {}),
      ...(minutes && Number(minutes) !== plan.duration_minutes ? { duration_minutes: Number(minutes) } : {}),
    };
    const worked = await approve(plan, { note, edits });
    if (worked) onDone();
    return worked;
  };
  useShown('card', [plan]);
  return (
    <Form class="edit" draft={draftOf(plan)} version={plan.version} onSend={onSend}>
      <label>
        Title <input ref={title} name="title" required maxLength={500} defaultValue={plan.title} dir="auto" />
      </label>
      {plan.swaps_with === null && (
        <>
          <StartField plan={plan} moved={moved} />
          <LengthFields
            minutes={moved?.duration_minutes ?? plan.duration_minutes ?? undefined}
            most={10_080}
            day={repeats(plan) ? dayOf(plan) : undefined}
          />
        </>
      )}
      <label>
        Note <input name="note" maxLength={1000} dir="auto" />
      </label>
      <FormButtons action="Approve with changes" draft={draftOf(plan)} onDone={onDone} />
    </Form>
  );
};

/** What the card of a plan asks before a key decides: the reason of a rejection, or whether a series or a cancellation is meant. */
export const asked = signal<{ uid: string; about: 'reason' | 'sure' } | undefined>(undefined);
const unask = (): void => {
  asked.value = undefined;
};

type SiblingsProps = { plan: Waiting; others: readonly Waiting[]; ready: boolean; onDone: () => void };

/** The other plans of the same request, which can be decided on with this one. */
const Siblings = ({ plan, others, ready, onDone }: SiblingsProps) => {
  const asking = useSignal<Decision | undefined>(undefined);
  const listed = others.filter(({ uid }) => uid !== plan.swaps_with);
  if (!listed.length) return null;
  const all = others.length + 1;
  const sure = sureText([plan, ...others]);
  const decide = async (decision: Decision, note?: string): Promise<boolean> => {
    const worked = await decideAll([plan, ...others], decision, { note });
    if (!worked) return false;
    asking.value = undefined;
    onDone();
    return true;
  };
  return (
    <section class="siblings" aria-label="Proposed together">
      <h3>Proposed together with</h3>
      <ul class="scrolls" tabIndex={0}>
        {listed.map((one) => (
          <li key={one.uid}>
            <Foreign lines={3}>{one.title}</Foreign>
            <small>
              {actionOf(one)} · <Times plan={one} />
            </small>
          </li>
        ))}
      </ul>
      {asOf.value === undefined &&
        all <= 100 &&
        (asking.value === 'approve' && sure ? (
          <Question
            label={`Approve all ${all}?`}
            confirm={`Approve ${all}, ${sure}`}
            keep="Not yet"
            onConfirm={() => void decide('approve')}
            onKeep={() => (asking.value = undefined)}
          />
        ) : asking.value === 'reject' ? (
          <ReasonLine
            name={`Reject all ${all}`}
            about={`all with ${plan.uid}`}
            onReject={(note) => decide('reject', note)}
            onKeep={() => (asking.value = undefined)}
          />
        ) : (
          <div class="buttons">
            <button
              type="button"
              aria-disabled={!ready}
              onClick={() => (sure ? (asking.value = 'approve') : void decide('approve'))}
            >
              Approve all {all}
            </button>
            <button type="button" class="danger" onClick={() => (asking.value = 'reject')}>
              Reject all {all}
            </button>
          </div>
        ))}
    </section>
  );
};

const approveText = (plan: Waiting, moved: Moved | undefined): string => {
  if (moved)
    return repeats(plan) ? `Approve at ${clockText(moved.at.minutes)} each time` : `Approve at ${wallMoment(moved.at)}`;
  if (plan.swaps_with !== null) return 'Approve both';
  if (cancels(plan)) return 'Approve the cancellation';
  return repeats(plan) ? `Approve the series (${amountOf(plan)})` : 'Approve';
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
  /** What the screen shows in place of the buttons. */
  instead?: ComponentChildren;
};

type ButtonsProps = Pick<Props, 'plan' | 'moved' | 'more'> & {
  check: Check;
  ready: boolean;
  onDone: () => void;
  onEdit: () => void;
};

const Buttons = ({ plan, moved, more, check, ready, onDone, onEdit }: ButtonsProps) => {
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
        onReject={(note) => decide(reject(plan, { note }))}
        onKeep={unask}
      />
    );
  if (about === 'sure')
    return (
      <Question
        label={`${approveText(plan, moved)}?`}
        why={whySure(plan)}
        confirm={approveText(plan, moved)}
        keep="Not yet"
        onConfirm={() => onApprove()}
        onKeep={unask}
      />
    );
  return (
    <>
      <div class="buttons">
        <button type="button" class="primary" data-approve="" aria-disabled={!ready} onClick={() => onApprove()}>
          {approveText(plan, moved)}
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
}: Props) => {
  const { isEditing, edit, leave } = useEditing(draftOf(plan), pinned);
  const others = siblingsOf(plan);
  const ready = useShown('card', [plan, ...others]);
  const isOpen = plan.status === 'proposed' && (waiting.data.value?.some(({ uid }) => uid === plan.uid) ?? false);
  const check = useApproval(plan, moved, isOpen);
  return (
    <article class="proposal" data-hue={hueOf(plan)} aria-label={`Proposal: ${plan.title}`}>
      <p class="who">
        <span class="dot" aria-hidden="true" /> <Foreign lines={1}>{proposerOf(plan)}</Foreign> · {actionOf(plan)}
      </p>
      <h2>
        <Foreign lines={3}>{plan.title}</Foreign>
      </h2>
      <When plan={plan} moved={moved} />
      {day}
      <dl>
        <Repetition plan={plan} inView={inView} />
        <Changes plan={plan} />
        <dt>Why</dt>
        <dd class="scrolls" tabIndex={0}>
          <Foreign>{inOwnTime(plan.reasoning) || 'No reason is given.'}</Foreign>
        </dd>
        {!answers && <Sources plan={plan} />}
        <Against plan={plan} check={check} />
        <Limits plan={plan} moved={moved} />
        {plan.expires_at && plan.expires_at !== plan.scheduled_for && (
          <Fact name="Expires">{momentOf(plan.expires_at)}</Fact>
        )}
      </dl>
      {!isOpen && asOf.value === undefined && (
        <p class="past-note" role="status">
          This proposal no longer waits for you. What you have written stays here.
        </p>
      )}
      {asOf.value !== undefined ? (
        <p class="past-note">It waited for a decision at that time.</p>
      ) : isEditing ? (
        <Edit plan={plan} moved={moved} onDone={() => (leave(), onDone())} />
      ) : instead ? (
        instead
      ) : isOpen ? (
        <Buttons {...{ plan, moved, more, check, ready, onDone }} onEdit={edit} />
      ) : null}
      {isOpen && !instead && <Siblings {...{ plan, others, ready, onDone }} />}
    </article>
  );
};
