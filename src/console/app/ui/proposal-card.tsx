/** Everything a person needs to decide on a proposal, before the click: what, when, who, why, and what stands against it. */
import { useSignal } from '@preact/signals';
import { approve, moveProposal, reject, type Edits } from '../state/decide.ts';
import { asOf } from '../state/address.ts';
import { hueOf, profile, proposerOf, status, type Waiting } from '../state/data.ts';
import { lengthText, momentOf, wallFrom, wallMoment, wallOf, wallText, type Wall } from '../state/wall-time.ts';
import { fieldsOf } from './fields.ts';
import { Foreign } from './text.tsx';

export type Moved = { at: Wall; duration_minutes: number };

const ACTIONS: Record<Waiting['action_type'], string> = {
  schedule: 'New event',
  reschedule: 'Change of an event',
  reflect: 'Reflection',
  log: 'Note',
};

const When = ({ plan, moved }: { plan: Waiting; moved: Moved | undefined }) => {
  const length = plan.duration_minutes ? ` · ${lengthText(plan.duration_minutes)}` : '';
  if (!plan.scheduled_for) return <p class="when">At any time{length}</p>;
  if (!moved)
    return (
      <p class="when">
        {momentOf(plan.scheduled_for)}
        {length}
      </p>
    );
  return (
    <p class="when">
      <strong>
        {wallMoment(moved.at)} · {lengthText(moved.duration_minutes)}
      </strong>{' '}
      <del>
        {momentOf(plan.scheduled_for)}
        {length}
      </del>
    </p>
  );
};

/** A cadence counts plans of one kind, with one tag where it names one; a budget counts all. */
const concerns = (code: string, plan: Waiting): boolean => {
  const id = code.startsWith('limit:cadence:') ? code.slice('limit:cadence:'.length) : undefined;
  const rule = profile.data.value?.settings.limits.cadence.find((one) => one.id === id);
  if (id === undefined || !rule) return true;
  return rule.action_type === plan.action_type && (!rule.tag || [plan.tempo_tag, ...plan.tags].includes(rule.tag));
};

/** The service counts today and this week; for another day it checks the limits at the approval. */
const Limits = ({ plan }: { plan: Waiting }) => {
  if (plan.origin !== 'agent') return null;
  const limits = (status.data.value?.limits ?? []).filter(({ code }) => concerns(code, plan));
  return (
    <>
      <dt>Limits</dt>
      <dd>
        {limits.length
          ? limits.map(({ code, per, used, max }) => (
              <span key={code} class="limit" data-full={used >= max ? '' : undefined}>
                {used} of {max} used {per === 'day' ? 'today' : 'this week'}
                {code.startsWith('limit:cadence:') ? ` (${code.slice('limit:cadence:'.length)})` : ''}
              </span>
            ))
          : 'None are set.'}
      </dd>
    </>
  );
};

const Against = ({ plan, overlaps }: { plan: Waiting; overlaps: string[] }) => {
  const others = plan.conflicts_count ?? 0;
  if (!overlaps.length && !others) return null;
  return (
    <>
      <dt>Conflicts</dt>
      <dd class="against">
        {overlaps.map((title, i) => (
          <span key={i}>
            Overlaps <Foreign lines={1}>{title}</Foreign>
          </span>
        ))}
        {others > 0 && (
          <span>{others === 1 ? 'One other proposal wants' : `${others} other proposals want`} this time</span>
        )}
      </dd>
    </>
  );
};

const EditForm = ({ plan, moved, onDone }: { plan: Waiting; moved: Moved | undefined; onDone: () => void }) => {
  const at = moved?.at ?? (plan.scheduled_for ? wallOf(plan.scheduled_for) : undefined);
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    const field = fieldsOf(event);
    const [title, start, minutes, note] = [field('title'), field('start'), field('minutes'), field('note')];
    const edits: Edits = {
      ...(title === plan.title ? {} : { title }),
      ...(start && start !== (plan.scheduled_for ? wallText(wallOf(plan.scheduled_for)) : '')
        ? { at: wallFrom(start) }
        : {}),
      ...(minutes && Number(minutes) !== plan.duration_minutes ? { duration_minutes: Number(minutes) } : {}),
    };
    if (await approve(plan, { note, edits })) onDone();
  };
  return (
    <form class="edit" onSubmit={(event) => void onSubmit(event)}>
      <label>
        Title <input name="title" required maxLength={500} defaultValue={plan.title} dir="auto" />
      </label>
      <label>
        Start <input name="start" type="datetime-local" defaultValue={at && wallText(at)} />
      </label>
      <label>
        Minutes{' '}
        <input
          name="minutes"
          type="number"
          min={1}
          max={40_320}
          defaultValue={moved?.duration_minutes ?? plan.duration_minutes ?? ''}
        />
      </label>
      <label>
        Note <input name="note" maxLength={1000} dir="auto" />
      </label>
      <div class="buttons">
        <button type="submit" class="primary">
          Approve with changes
        </button>
        <button type="button" onClick={onDone}>
          Close
        </button>
      </div>
    </form>
  );
};

type Props = {
  plan: Waiting;
  /** Another time that the person has dragged it to. */
  moved?: Moved | undefined;
  /** The titles of events at the same time. */
  overlaps?: string[];
  onDone?: () => void;
};

export const ProposalCard = ({ plan, moved, overlaps = [], onDone = () => undefined }: Props) => {
  const editing = useSignal(false);
  const past = asOf.value !== undefined;
  const decide = async (work: Promise<boolean>): Promise<void> => {
    if (await work) onDone();
  };
  const edits: Edits = moved ? { at: moved.at, duration_minutes: moved.duration_minutes } : {};
  return (
    <article class="proposal" data-hue={hueOf(plan)} aria-label={`Proposal: ${plan.title}`}>
      <p class="who">
        <span class="dot" aria-hidden="true" /> <Foreign lines={1}>{proposerOf(plan)}</Foreign> ·{' '}
        {ACTIONS[plan.action_type]}
      </p>
      <h2>
        <Foreign lines={3}>{plan.title}</Foreign>
      </h2>
      <When plan={plan} moved={moved} />
      <dl>
        <dt>Why</dt>
        <dd class="why" tabIndex={0}>
          <Foreign>{plan.reasoning || 'No reason is given.'}</Foreign>
        </dd>
        <Against plan={plan} overlaps={overlaps} />
        <Limits plan={plan} />
        {plan.expires_at && (
          <>
            <dt>Expires</dt>
            <dd>{momentOf(plan.expires_at)}</dd>
          </>
        )}
      </dl>
      {past ? (
        <p class="past-note">It waited for a decision at that time.</p>
      ) : editing.value ? (
        <EditForm plan={plan} moved={moved} onDone={() => ((editing.value = false), onDone())} />
      ) : (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => void decide(approve(plan, { edits }))}>
            {moved ? `Approve at ${wallMoment(moved.at)}` : 'Approve'}
          </button>
          {moved && (
            <button type="button" onClick={() => void decide(moveProposal(plan, moved.at, moved.duration_minutes))}>
              Only move
            </button>
          )}
          <button type="button" onClick={() => (editing.value = true)}>
            Edit
          </button>
          <button type="button" class="danger" onClick={() => void decide(reject(plan))}>
            Reject
          </button>
        </div>
      )}
    </article>
  );
};
