/** What an approval would answer now, by the rules of the service itself: what is in its way, and free times instead. */
import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import { AlmanacProblem } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { deciding, isRefusal, tryApproval, type Edits } from '../state/decide.ts';
import { complain } from '../state/messages.ts';
import { sentence } from '../state/sentence.ts';
import { repeats } from '../state/series.ts';
import { client } from '../state/service.ts';
import { useKeysShown, wasKeyShown } from '../state/shown.ts';
import { useAnswer } from '../state/use-answer.ts';
import { clockText, momentOf, wallOf, wallText } from '../state/wall-time.ts';
import { Fact, listed, MOST_OF_TITLE, type Moved } from './proposal-facts.tsx';
import { Foreign } from './text.tsx';
import { Way } from './way.tsx';

export type Check = { refusal?: AlmanacProblem; leftOut: readonly string[] };

/** Asked again when the plans, the calendar or the limits change. */
export const useApproval = (plan: Waiting, moved: Moved | undefined, isOpen: boolean): Check => {
  const edits: Edits = moved ? { at: moved.at, duration_minutes: moved.duration_minutes } : {};
  const key = `${plan.uid} ${plan.version} ${moved ? `${wallText(moved.at)} ${moved.duration_minutes}` : ''}`;
  const { data, error } = useAnswer(
    isOpen && asOf.value === undefined ? key : undefined,
    ['plans', 'events', 'profile'],
    () => tryApproval(plan, edits),
    deciding.value.has(plan.uid),
  );
  return {
    ...(error instanceof AlmanacProblem && isRefusal(error) ? { refusal: error } : {}),
    leftOut: (data?.exdates ?? []).filter((one) => !plan.exdates.includes(one)),
  };
};

type Busy = { uid: string; title: string; start: string; end: string };

const MOST_NAMED = 3;

/** The other proposals for the same time, each with the way to its card. */
const Rivals = ({ plan: { conflicts = [], conflicts_count: count = 0 } }: { plan: Waiting }) => {
  if (!count) return null;
  const named = conflicts
    .flatMap((uid) => waiting.data.value?.find((one) => one.uid === uid) ?? [])
    .slice(0, MOST_NAMED);
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

/** What is at the time of a proposal, or will be left out of a series. */
export const Against = ({ plan, check: { refusal, leftOut } }: { plan: Waiting; check: Check }) => {
  const others = plan.conflicts_count ?? 0;
  if (!refusal && !leftOut.length && !others) return null;
  const busy = refusal?.code === 'slot_taken' ? (refusal.problem['busy'] as Busy[] | undefined) : undefined;
  return (
    <Fact name="Conflicts">
      <span class="against" role="status">
        {busy?.slice(0, 4).map(({ uid, title, start, end }) => (
          <span key={`${uid} ${start}`}>
            Overlaps <Foreign>{title.slice(0, MOST_OF_TITLE)}</Foreign> {momentOf(start)} to{' '}
            {clockText(wallOf(end).minutes)}
          </span>
        ))}
        {refusal && !busy && <span>{sentence(refusal)}</span>}
        {leftOut.length > 0 && <span>An approval leaves out what is taken: {listed(leftOut)}.</span>}
        <Rivals plan={plan} />
      </span>
    </Fact>
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
  const { data } = useAnswer(
    `${plan.uid} ${plan.version} ${minutes}`,
    ['plans', 'events', 'profile'],
    () => offersFor(plan, minutes, moved ? { duration_minutes: moved.duration_minutes } : {}),
    deciding.value.has(plan.uid),
  );
  const starts = data?.starts ?? [];
  const shown = `free times of ${plan.uid}: ${starts.join(' ')}`;
  const ready = useKeysShown([shown]);
  if (!data) return null;
  const choose = (start: string): void => {
    if (wasKeyShown(shown)) onApprove({ at: wallOf(start) });
    else complain('These times have only just appeared. Read them, then choose.', [plan.uid]);
  };
  if (!starts.length)
    return (
      <p class="quiet">
        {data.refusal
          ? `The next free times cannot be approved either. ${sentence(data.refusal)}`
          : 'No time is free in the week after it.'}
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
  refusal?.code === 'slot_taken' && !repeats(plan) && plan.swaps_with === null;
