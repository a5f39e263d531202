/** What a proposal would do, said as it will be carried out: its time, its repetition, what it changes, and what stands against it. */
import type { ComponentChildren } from 'preact';
import { AlmanacProblem, type Event } from '../../../client/almanac-client.ts';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import { isOnlyTitle } from '../../../domain/plan/own-text.ts';
import { remindersText } from '../../../domain/plan/reminders-text.ts';
import { asOf, past } from '../state/address.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { client, pastClient } from '../state/service.ts';
import {
  amountOf,
  cancels,
  changesFollowing,
  isSeries,
  later,
  isWhole,
  isAllDay,
  occurrencesIn,
  repeats,
  repetitionText,
  startText,
} from '../state/series.ts';
import { configures } from '../state/settings.ts';
import { useAnswer } from '../state/use-answer.ts';
import {
  clockText,
  lengthText,
  longDate,
  momentOf,
  wallMoment,
  wallText,
  zone,
  type Wall,
} from '../state/wall-time.ts';
import { Unread } from './failure.tsx';
import { Foreign } from './text.tsx';
import { cut, MOST_OF_TITLE, ruleOf, usageText } from './words.ts';
import { useSeen } from './use-seen.ts';
import { Way } from './way.tsx';

export type Moved = { at: Wall; duration_minutes: number };

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

/** The words for what a proposal does. */
export const actionOf = (plan: Waiting): string => {
  if (cancels(plan)) return changesFollowing(plan) ? 'Ends a series' : 'Cancels an event';
  if (plan.swaps_with !== null) return 'Swap of two events';
  if (plan.action_type === 'reschedule')
    return `${plan.scheduled_for === null ? 'Change' : 'Move'} of ${changesFollowing(plan) ? 'a series' : 'an event'}`;
  if (plan.action_type === 'schedule') return repeats(plan) ? 'New series' : 'New event';
  if (configures(plan)) return 'Change of settings';
  return plan.action_type === 'reflect' ? 'Reflection' : 'Note';
};

/** Of a whole day, only more than one says more than 'all day'. */
export const lengthOf = (plan: Waiting): string => {
  const { duration_minutes: minutes } = plan;
  if (cancels(plan) || configures(plan)) return '';
  return minutes && !(isAllDay(plan) && minutes <= 1440) ? ` · ${lengthText(minutes)}` : '';
};

const timeText = (plan: Waiting): string => {
  if (plan.scheduled_for === null) {
    if (configures(plan)) return 'At once, when you approve it';
    return keepsTime(plan) ? 'No new time' : `At any time${lengthOf(plan)}`;
  }
  return `${isSeries(plan) ? 'From ' : ''}${startText(plan)}${lengthOf(plan)}`;
};

export const When = ({ plan, moved }: { plan: Waiting; moved: Moved | undefined }) => {
  if (cancels(plan)) return null;
  if (!moved) return <p class="when">{timeText(plan)}</p>;
  return (
    <p class="when">
      <strong>
        {repeats(plan) ? `Each time at ${clockText(moved.at.minutes)}` : wallMoment(moved.at)} ·{' '}
        {lengthText(moved.duration_minutes)}
      </strong>{' '}
      <del>{timeText(plan)}</del>
    </p>
  );
};

const MOST_LISTED = 6;
export const listed = (times: readonly string[]): string => {
  const rest = times.length - MOST_LISTED;
  return `${times.slice(0, MOST_LISTED).map(momentOf).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
};

/** Where it is asked how often a series happens: the shown days of the calendar. */
export type InView = { first: string; days: number };

export const Repetition = ({ plan, inView }: { plan: Waiting; inView: InView | undefined }) => {
  if (!repeats(plan)) return null;
  const { exdates, timezone, on_conflict } = plan;
  const here = inView && occurrencesIn(plan, inView.first, inView.days).length;
  return (
    <>
      <Fact name="Repeats">
        <span class="lines">
          <span>
            {repetitionText(plan)}
            {timezone !== null && timezone !== zone.value && `, by the clock of ${timezone}`}
          </span>
          <small>
            {amountOf(plan)}
            {here !== undefined && isWhole(plan) && ` · ${here} in the days shown`}
            {!isWhole(plan) && '. Only the first time is drawn here; after an approval all are.'}
          </small>
        </span>
      </Fact>
      {exdates.length > 0 && <Fact name="Left out">{listed(exdates)}</Fact>}
      {on_conflict === 'refuse' && <Fact name="If busy">The whole series is refused.</Fact>}
    </>
  );
};

/** While the plan is decided on, the event may be removed by it, and what was read stays. */
const useEvent = ({ uid: plan, target_event_uid: uid }: Waiting, isAsked = true) =>
  useAnswer(
    (isAsked && uid) || undefined,
    ['events'],
    () => pastClient.calendar.event({ uid: uid as string, ...past.value }),
    deciding.value.has(plan),
  );

/** Which part of a series is meant: `, every week on Thursday: this and all later ones`. */
const partOf = ({ rrule }: Event, plan: Waiting): string => {
  if (changesFollowing(plan)) return `${rrule === null ? '' : `, ${ruleText(rrule)}`}: this${later(plan)}`;
  return rrule !== null && typeof plan.arguments['recurrence_id'] === 'string' ? ' (one of a series)' : '';
};

/** The event, or the occurrence of a series, that a proposal changes. */
const placeOf = (event: Event, plan: Waiting): string => {
  const id = plan.arguments['recurrence_id'];
  const own = typeof id === 'string' ? event.overrides?.[id] : undefined;
  if (event.all_day)
    return `${longDate((own?.local_start ?? event.local_start).slice(0, 10))}, all day${partOf(event, plan)}`;
  const start = own?.scheduled_for ?? (typeof id === 'string' ? id : event.scheduled_for);
  const minutes = own?.duration_minutes ?? event.duration_minutes;
  return `${momentOf(start)} · ${lengthText(minutes)}${partOf(event, plan)}`;
};

const remindersOf = ({ arguments: given }: Waiting) => given['reminders'] as number[] | undefined;
const remindersNow = (event: Event, plan: Waiting): number[] =>
  event.overrides?.[String(plan.arguments['recurrence_id'])]?.reminders ?? event.reminders;

const NoEvent = ({ error }: { error: unknown }) =>
  error instanceof AlmanacProblem && error.status === 404 ? <>The event no longer exists.</> : <Unread error={error} />;

const keepsTime = ({ action_type, scheduled_for }: Waiting): boolean =>
  action_type === 'reschedule' && scheduled_for === null;

/** In one line, when it would happen; of a cancellation, and of a change that keeps the time, which event it is and when that is. */
export const Times = ({ plan }: { plan: Waiting }) => {
  const { element, isSeen } = useSeen<HTMLElement>();
  const isOfEvent = keepsTime(plan);
  const { data, error } = useEvent(plan, isOfEvent && isSeen.value);
  if (!isOfEvent)
    return (
      <>
        {plan.scheduled_for === null
          ? configures(plan)
            ? 'at once'
            : `at any time${lengthOf(plan)}`
          : `${startText(plan)}${lengthOf(plan)}`}
      </>
    );
  return (
    <span ref={element}>
      {data ? (
        <>
          <Foreign>{cut(data.title, MOST_OF_TITLE)}</Foreign>, {placeOf(data, plan)}
        </>
      ) : (
        <NoEvent error={error} />
      )}
    </span>
  );
};

const Target = ({ plan, name }: { plan: Waiting; name: string }) => {
  const { data, error } = useEvent(plan);
  if (plan.target_event_uid === null) return null;
  return (
    <Fact name={name}>
      {data ? (
        <span class="lines">
          <Foreign>{data.title}</Foreign>
          <span>{placeOf(data, plan)}</span>
          {remindersOf(plan) && <span>Reminders: {remindersText(remindersNow(data, plan), lengthText)}</span>}
        </span>
      ) : (
        <NoEvent error={error} />
      )}
    </Fact>
  );
};

const usePartner = (plan: Waiting): { partner: Waiting | undefined; error: unknown } => {
  const known = waiting.data.value?.find(({ uid }) => uid === plan.swaps_with);
  const asked = useAnswer(
    plan.swaps_with === null || known || asOf.value !== undefined ? undefined : plan.swaps_with,
    ['plans'],
    () => client.agent.getPlan({ uid: plan.swaps_with as string }),
  );
  return { partner: known ?? asked.data, error: asked.error };
};

const Partner = ({ plan }: { plan: Waiting }) => {
  const { partner, error } = usePartner(plan);
  if (plan.swaps_with === null) return null;
  if (!partner)
    return (
      <Fact name="Swaps with">
        <Unread error={error} />
      </Fact>
    );
  return (
    <>
      <Target plan={partner} name="Swaps with" />
      <Fact name="Its new time">{timeText(partner)}</Fact>
    </>
  );
};

const TEXTS = ['title', 'location', 'description'] as const;

/** What a plan says beyond its title and time; it becomes part of the event or of memory. */
const Texts = ({ plan }: { plan: Waiting }) => {
  const names = plan.action_type === 'reschedule' ? TEXTS : (['location'] as const);
  const reminders = remindersOf(plan);
  return (
    <>
      {names.map((name) => {
        const text = plan.arguments[name];
        if (typeof text !== 'string') return null;
        return (
          <Fact key={name} name={plan.action_type === 'reschedule' ? `New ${name}` : 'Where'}>
            {name === 'description' ? (
              <div class="scrolls" tabIndex={0}>
                <Foreign>{text}</Foreign>
              </div>
            ) : (
              <Foreign>{text}</Foreign>
            )}
          </Fact>
        );
      })}
      {reminders && (
        <Fact name={plan.action_type === 'reschedule' ? 'New reminders' : 'Reminders'}>
          {remindersText(reminders, lengthText)}
        </Fact>
      )}
      {!isOnlyTitle(plan) && (
        <Fact name="Text">
          <div class="scrolls" tabIndex={0}>
            <Foreign>{plan.content}</Foreign>
          </div>
        </Fact>
      )}
      {(plan.task_id !== null || plan.tempo_tag !== null) && (
        <Fact name="Task">
          <Foreign lines={1}>{[plan.task_id, plan.tempo_tag].filter((one) => one !== null).join(' · ')}</Foreign>
        </Fact>
      )}
    </>
  );
};

export const Changes = ({ plan }: { plan: Waiting }) => (
  <>
    <Target plan={plan} name={cancels(plan) ? 'Removes' : 'Now'} />
    <Partner plan={plan} />
    <Texts plan={plan} />
  </>
);

const MOST_SOURCES = 5;

/** The traces that a proposal names as its reasons. */
export const Sources = ({ plan: { uid, version, linked_trace_ids: linked } }: { plan: Waiting }) => {
  const { data, error } = useAnswer(linked.length ? `${uid} ${version}` : undefined, [], () =>
    pastClient.memport.export({
      ...{ uid, max_depth: 1, limit: 100, export_format: 'linked' as const },
      ...past.value,
    }),
  );
  if (!linked.length) return null;
  if (!data && error !== undefined)
    return (
      <Fact name="From">
        <Unread error={error} />
      </Fact>
    );
  const names = new Map(data?.results.map((one) => [one.uid, one.summary]));
  return (
    <Fact name="From">
      <span class="lines">
        {linked.slice(0, MOST_SOURCES).map((one) => (
          <Way key={one} to="memory" with={{ trace: one }}>
            <Foreign lines={1}>{names.get(one) ?? (data ? `${one}, which was not found` : '…')}</Foreign>
          </Way>
        ))}
        {linked.length > MOST_SOURCES && <small>and {linked.length - MOST_SOURCES} more</small>}
      </span>
    </Fact>
  );
};

/** The limits that the plan counts in, on its own day and in its own week, and what others have of them. */
export const Limits = ({ plan, moved }: { plan: Waiting; moved: Moved | undefined }) => {
  const at = moved && wallText(moved.at);
  const asked = plan.origin === 'agent' && asOf.value === undefined;
  const { data, error } = useAnswer(
    asked ? `${plan.uid} ${plan.version} ${at ?? ''}` : undefined,
    ['plans', 'profile'],
    () => client.agent.limits({ uid: plan.uid, ...(at === undefined ? {} : { scheduled_for: at }) }),
  );
  if (!asked) return null;
  if (!data)
    return (
      <Fact name="Limits">
        <Unread error={error} />
      </Fact>
    );
  return (
    <Fact name="Limits">
      {data.length
        ? data.map((one) => (
            <span key={one.code} class="limit" data-full={one.needed > one.left ? '' : undefined}>
              {usageText(one)}
              {one.waiting > 0 && ' beside this'}
              {ruleOf(one.code) === undefined ? '' : ` (${ruleOf(one.code)})`}
              {one.needed > one.left
                ? ': full, the approval would be refused'
                : one.needed > 1
                  ? `; this takes ${one.needed}`
                  : ''}
            </span>
          ))
        : 'None are set.'}
    </Fact>
  );
};
