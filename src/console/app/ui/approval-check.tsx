/** What an approval would answer now, by the rules of the service itself: what is in its way, and free times instead. */
import { AlmanacProblem } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import type { Waiting } from '../state/data.ts';
import { deciding, tryApproval, type Edits } from '../state/decide.ts';
import { complain } from '../state/messages.ts';
import { sentence } from '../state/sentence.ts';
import { repeats } from '../state/series.ts';
import { client } from '../state/service.ts';
import { useKeysShown, wasKeyShown } from '../state/shown.ts';
import { useAnswer } from '../state/use-answer.ts';
import { clockText, momentOf, wallOf, wallText } from '../state/wall-time.ts';
import { Fact, listed, type Moved } from './proposal-facts.tsx';
import { Foreign } from './text.tsx';

/** Of these the card learns by itself, because the plan has changed. */
const OF_VERSIONS: readonly string[] = ['version_mismatch', 'precondition_required', 'illegal_transition'];

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
  const isRefusal = error instanceof AlmanacProblem && error.status === 409 && !OF_VERSIONS.includes(error.code);
  return {
    ...(isRefusal ? { refusal: error } : {}),
    leftOut: (data?.exdates ?? []).filter((one) => !plan.exdates.includes(one)),
  };
};

type Busy = { uid: string; title: string; start: string; end: string };

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
            Overlaps <Foreign lines={1}>{title}</Foreign> {momentOf(start)} to {clockText(wallOf(end).minutes)}
          </span>
        ))}
        {refusal && !busy && <span>{sentence(refusal)}</span>}
        {leftOut.length > 0 && <span>An approval leaves out what is taken: {listed(leftOut)}.</span>}
        {others > 0 && (
          <span>{others === 1 ? 'One other proposal wants' : `${others} other proposals want`} this time</span>
        )}
      </span>
    </Fact>
  );
};

const OFFERED = 3;

type FreeProps = { plan: Waiting; moved: Moved | undefined; onApprove: (edits: Edits) => void };

/** Free times for a proposal whose own is taken. The keys 1 to 3 press their buttons. */
export const FreeTimes = ({ plan, moved, onApprove }: FreeProps) => {
  const minutes = moved?.duration_minutes ?? plan.duration_minutes ?? undefined;
  const isFuture = plan.scheduled_for !== null && Date.parse(plan.scheduled_for) > Date.now();
  const { data } = useAnswer(`${plan.uid} ${plan.version} ${minutes}`, ['plans', 'events', 'profile'], () =>
    client.calendar.slots({
      limit: OFFERED,
      ...(isFuture ? { start: plan.scheduled_for as string } : {}),
      ...(minutes === undefined ? {} : { duration_minutes: minutes }),
      ...(plan.tempo_tag === null ? {} : { tempo_tag: plan.tempo_tag }),
      ...(plan.task_id === null ? {} : { task_id: plan.task_id }),
    }),
  );
  const soonest = data?.slots.toSorted((a, b) => a.start.localeCompare(b.start)) ?? [];
  const shown = `free times of ${plan.uid}: ${soonest.map(({ start }) => start).join(' ')}`;
  const ready = useKeysShown([shown]);
  if (!data) return null;
  const choose = (start: string): void => {
    if (wasKeyShown(shown)) onApprove({ at: wallOf(start) });
    else complain('These times have only just appeared. Read them, then choose.');
  };
  if (!soonest.length) return <p class="quiet">No time is free in the week after it.</p>;
  return (
    <div class="buttons" role="group" aria-label="Approve at a free time">
      {soonest.map(({ start }, n) => (
        <button key={start} type="button" data-free={n + 1} aria-disabled={!ready} onClick={() => choose(start)}>
          <kbd>{n + 1}</kbd> {momentOf(start)}
        </button>
      ))}
    </div>
  );
};

/** Whether another time helps: the days of a series, and the places of a swap, are of the plan itself. */
export const takesAnotherTime = (plan: Waiting, { refusal }: Check): boolean =>
  refusal?.code === 'slot_taken' && !repeats(plan) && plan.swaps_with === null;
