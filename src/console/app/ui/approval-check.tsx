/** What an approval would answer now, by the rules of the service itself: what is in its way, and free times instead. */
import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import { AlmanacProblem, type Plan } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { deciding, isOfVersions, isRefusal, tryApproval, type Edits } from '../state/decide.ts';
import { complain } from '../state/messages.ts';
import { rivalsOf } from '../state/preview.ts';
import { sentence } from '../state/sentence.ts';
import { isSeries } from '../state/series.ts';
import { client } from '../state/service.ts';
import { useKeysShown, wasKeyShown } from '../state/shown.ts';
import { useAnswer } from '../state/use-answer.ts';
import { clockText, instantOf, momentOf, wallOf, wallText } from '../state/wall-time.ts';
import { Fact, listed, type Moved } from './proposal-facts.tsx';
import { Foreign } from './text.tsx';
import { Way } from './way.tsx';
import { cut, MOST_OF_TITLE } from './words.ts';

export type Check = { refusal?: AlmanacProblem; leftOut: readonly string[] };

type Time = Pick<Edits, 'at' | 'duration_minutes'>;

/** Asked again when the plans, the calendar or the limits change. */
const useAsked = (plan: Waiting, { at, duration_minutes }: Time, isOpen: boolean) => {
  const edits: Edits = { ...(at ? { at } : {}), ...(duration_minutes === undefined ? {} : { duration_minutes }) };
  const key = `${plan.uid} ${plan.version} ${at ? wallText(at) : ''} ${duration_minutes ?? ''}`;
  return useAnswer(
    isOpen && asOf.value === undefined ? key : undefined,
    ['plans', 'events', 'profile'],
    () => tryApproval(plan, edits),
    deciding.value.has(plan.uid),
  );
};

const checkOf = (plan: Waiting, { data, error }: { data?: Plan | undefined; error?: unknown }): Check => ({
  ...(error instanceof AlmanacProblem && isRefusal(error) ? { refusal: error } : {}),
  leftOut: (data?.exdates ?? []).filter((one) => !plan.exdates.includes(one)),
});

export const useApproval = (plan: Waiting, moved: Moved | undefined, isOpen: boolean): Check =>
  checkOf(plan, useAsked(plan, moved ?? {}, isOpen));

type Busy = { uid: string; title: string; start: string; end: string };

const MOST_NAMED = 3;

type Rivaling = { count: number; named: Waiting[] };

/** The other proposals for the same time. The service knows those of the time that a plan has, and the page those of another one. */
const rivals = (plan: Waiting, { at, duration_minutes }: Time): Rivaling => {
  if (at === undefined && duration_minutes === undefined) {
    const { conflicts = [], conflicts_count: count = 0 } = plan;
    const found = conflicts.flatMap((uid) => waiting.data.value?.find((one) => one.uid === uid) ?? []);
    return { count, named: found.slice(0, MOST_NAMED) };
  }
  const found = rivalsOf({
    ...plan,
    scheduled_for: at ? new Date(instantOf(at)).toISOString() : plan.scheduled_for,
    // That of a series is its first start by the time that it has.
    expires_at: null,
    duration_minutes: duration_minutes ?? plan.duration_minutes,
  });
  return { count: found.length, named: found.slice(0, MOST_NAMED) };
};

/** Each with the way to its card. */
const Rivals = ({ of: { count, named } }: { of: Rivaling }) => {
  if (!count) return null;
  const rest = count - named.length;
  if (!named.length)
    return <span>{count === 1 ? 'One other proposal wants' : `${count} other proposals want`} this time</span>;
  return (
    <span>
      {named.map(({ uid, title }, n) => (
        <Fragment key={uid}>
          {n === 0 ? '' : n === named.length - 1 && !rest ? ' and ' : ', '}
          <Way to="queue" with={{ plan: uid }}>
            “<Foreign>{title}</Foreign>”
          </Way>
        </Fragment>
      ))}
      {rest > 0 && ` and ${rest} more`} also {count === 1 ? 'wants' : 'want'} this time
    </span>
  );
};

/** What is at a time, or will be left out of a series. */
const Found = ({ check: { refusal, leftOut }, others }: { check: Check; others: Rivaling }) => {
  const busy = refusal?.code === 'slot_taken' ? (refusal.problem['busy'] as Busy[] | undefined) : undefined;
  return (
    <>
      {busy?.slice(0, 4).map(({ uid, title, start, end }) => (
        <span key={`${uid} ${start}`}>
          Overlaps <Foreign>{cut(title, MOST_OF_TITLE)}</Foreign> {momentOf(start)} to {clockText(wallOf(end).minutes)}
        </span>
      ))}
      {refusal && !busy && <span>{sentence(refusal)}</span>}
      {leftOut.length > 0 && <span>An approval leaves out what is taken: {listed(leftOut)}.</span>}
      <Rivals of={others} />
    </>
  );
};

const hasFound = ({ refusal, leftOut }: Check, { count }: Rivaling): boolean =>
  refusal !== undefined || leftOut.length > 0 || count > 0;

type AgainstProps = { plan: Waiting; check: Check; moved?: Moved | undefined };

/** What is at the time of a proposal, or at the one to which it was moved. */
export const Against = ({ plan, check, moved }: AgainstProps) => {
  const others = rivals(plan, moved ?? {});
  if (!hasFound(check, others)) return null;
  return (
    <Fact name="Conflicts">
      <span class="against" role="status">
        <Found {...{ check, others }} />
      </span>
    </Fact>
  );
};

/** What is at the time that is typed into the form of a proposal. It always says something, so that nothing moves below it. */
export const TypedCheck = ({ plan, typed }: { plan: Waiting; typed: Time }) => {
  const hasTime = plan.scheduled_for !== null || typed.at !== undefined;
  const { data, error } = useAsked(plan, typed, hasTime);
  if (!hasTime) return null;
  const check = checkOf(plan, { data, error });
  const others = rivals(plan, typed);
  // Such as a time that is over.
  const fault = error instanceof AlmanacProblem && !check.refusal && !isOfVersions(error) ? error : undefined;
  const isKnown = data !== undefined || error !== undefined;
  return (
    <p class="against" role="status">
      {!isKnown ? (
        <span class="quiet">Almanac checks this time.</span>
      ) : fault ? (
        <span>{sentence(fault)}</span>
      ) : hasFound(check, others) ? (
        <Found {...{ check, others }} />
      ) : (
        <span class="quiet">Nothing is in the way at this time.</span>
      )}
    </p>
  );
};

const OFFERED = 3;
/** So many approvals are tried, which is one for each day of a week whose limits are full. */
const MOST_TRIED = 8;

type Offers = { starts: string[]; refusal?: AlmanacProblem };

/** The best free times at which the approval would work; where there is none, why not. */
const offersFor = async (plan: Waiting, minutes: number | undefined, edits: Edits): Promise<Offers> => {
  const isFuture = plan.scheduled_for !== null && Date.parse(plan.scheduled_for) > Date.now();
  const { slots } = await client.calendar.slots({
    limit: 100,
    ...(isFuture ? { start: plan.scheduled_for as string } : {}),
    ...(minutes === undefined ? {} : { duration_minutes: minutes }),
    ...(plan.tempo_tag === null ? {} : { tempo_tag: plan.tempo_tag }),
    ...(plan.task_id === null ? {} : { task_id: plan.task_id }),
  });
  const starts: string[] = [];
  const fullDays = new Set<string>();
  let refusal: AlmanacProblem | undefined;
  let tried = 0;
  for (const { start } of slots) {
    const at = wallOf(start);
    // A limit refuses all times of a day alike.
    if (fullDays.has(at.date)) continue;
    if (starts.length === OFFERED || ++tried > MOST_TRIED) break;
    try {
      await tryApproval(plan, { ...edits, at });
      starts.push(start);
    } catch (error) {
      if (!(error instanceof AlmanacProblem && isRefusal(error))) throw error;
      refusal ??= error;
      if (error.code === 'limit_reached') fullDays.add(at.date);
    }
  }
  return { starts: starts.toSorted(), ...(refusal ? { refusal } : {}) };
};

type FreeProps = { plan: Waiting; moved: Moved | undefined; onApprove: (edits: Edits) => void };

/** Free times for a proposal whose own is taken. The keys 1 to 3 press their buttons. */
export const FreeTimes = ({ plan, moved, onApprove }: FreeProps) => {
  const heading = useId();
  const minutes = moved?.duration_minutes ?? plan.duration_minutes ?? undefined;
  const { data, error } = useAnswer(
    `${plan.uid} ${plan.version} ${minutes}`,
    ['plans', 'events', 'profile'],
    () => offersFor(plan, minutes, moved ? { duration_minutes: moved.duration_minutes } : {}),
    deciding.value.has(plan.uid),
  );
  const starts = data?.starts ?? [];
  const shown = `free times of ${plan.uid}: ${starts.join(' ')}`;
  const ready = useKeysShown([shown]);
  if (!data)
    return error === undefined ? (
      <p class="quiet" role="status">
        Looking for free times…
      </p>
    ) : null;
  const choose = (start: string): void => {
    if (wasKeyShown(shown)) onApprove({ at: wallOf(start) });
    else complain('These times have only just appeared. Read them, then choose.', [plan.uid]);
  };
  if (!starts.length)
    return (
      <p class="quiet">
        {data.refusal
          ? `The next free times cannot be approved either. ${sentence(data.refusal)}`
          : 'No time of this length is free within your tempo hours in the week after it.'}
      </p>
    );
  return (
    <div class="free" role="group" aria-labelledby={heading}>
      <p id={heading}>Approve at another time:</p>
      <div class="buttons">
        {starts.map((start, n) => (
          <button key={start} type="button" data-free={n + 1} aria-disabled={!ready} onClick={() => choose(start)}>
            <kbd>{n + 1}</kbd> {momentOf(start)}
          </button>
        ))}
      </div>
    </div>
  );
};

/** Whether another time helps: the days of a series, and the places of a swap, are of the plan itself. */
export const takesAnotherTime = (plan: Waiting, { refusal }: Check): boolean =>
  refusal?.code === 'slot_taken' && !isSeries(plan) && plan.swaps_with === null;
