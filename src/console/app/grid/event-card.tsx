/** An event: what it is, changing and removing it; and the form of a new one. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import type { EventUpdates, Occurrence } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { proposerOf, sourceOf } from '../state/data.ts';
import { cancels, later, startText } from '../state/series.ts';
import { client } from '../state/service.ts';
import { useKeysShown } from '../state/shown.ts';
import { useAnswer } from '../state/use-answer.ts';
import { lengthText, longDate, momentOf, typedWall, wallOf, wallText, type Wall } from '../state/wall-time.ts';
import { useEditing } from '../ui/draft.ts';
import { fieldsOf } from '../ui/fields.ts';
import { Foreign, ForeignLink } from '../ui/text.tsx';
import { Meanwhile, useOver } from '../ui/meanwhile.tsx';
import { useFocus } from '../ui/use-focus.ts';
import { Way } from '../ui/way.tsx';
import { askRemoval, closeGone, typedTime, type TypedTime } from './card.ts';
import { createEvent, editEvent, putBack, removeEvent, type Scope } from './event-changes.ts';
import { EventForm, type Given } from './event-form.tsx';
import { Overlaps } from './overlaps.tsx';
import { proposalsFor } from './targets.ts';

type NewProps = { start: Wall; minutes: number; drawn?: boolean; onDone: () => void };

/** Missing where there is none, or where whole days are meant. */
const timeIn = (form: HTMLFormElement): TypedTime | undefined => {
  const { text } = fieldsOf(form);
  const [start, minutes] = [typedWall(text('start')), Number(text('minutes'))];
  return start && minutes > 0 ? { start, minutes } : undefined;
};

export const NewEvent = ({ start, minutes, drawn = false, onDone }: NewProps) => {
  useLayoutEffect(() => {
    typedTime.value = { start, minutes };
    return () => void (typedTime.value = undefined);
  }, [start.date, start.minutes, minutes]);
  /** The outline on the calendar follows the time that is typed, and so does what it overlaps. */
  const followTime = ({ currentTarget: form }: { currentTarget: HTMLFormElement }): void => {
    const follow = (): void => {
      if (form.isConnected) typedTime.value = timeIn(form);
    };
    follow();
    // A tick draws other fields.
    setTimeout(follow);
  };
  return (
    <article aria-label="New event">
      <h2>New event</h2>
      <EventForm
        given={{ title: '', start, duration_minutes: minutes, all_day: false, location: null, description: null }}
        action="Create"
        draft="event"
        fresh
        drawn={drawn}
        onInput={followTime}
        warning={<Overlaps of={typedTime.value} />}
        onSave={createEvent}
        onDone={onDone}
      />
    </article>
  );
};

/** An all-day event is on its date in every zone. */
const startOf = ({ all_day, local_start, scheduled_for }: Occurrence): Wall =>
  all_day ? { date: local_start.slice(0, 10), minutes: 0 } : wallOf(scheduled_for);

/** Only what was changed: the other fields of an occurrence stay those of its series. */
const updatesOf = (event: Occurrence, given: Given): EventUpdates => {
  const start = startOf(event);
  const before = { ...event, scheduled_for: event.all_day ? start.date : wallText(start) };
  const changed = (Object.keys(given) as (keyof Given)[]).filter((name) => given[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, given[name]]));
};

const draftOf = ({ uid, recurrence_id }: Occurrence): string => `event ${uid} ${recurrence_id ?? ''}`;

const EDITED = ['title', 'all_day', 'scheduled_for', 'duration_minutes', 'location', 'description'] as const;

/** Says that the form has lost its event, so that its button makes another one. */
const Lost = ({ uid }: { uid: string }) => (
  <div class="meanwhile" role="status">
    <p>
      This event is no longer on the days that are shown. It may be removed or moved. What you typed stays here.{' '}
      <Way to="ledger" with={{ uid }}>
        All changes of the event
      </Way>
    </p>
    <p>“{CREATE}” makes another event of it.</p>
  </div>
);
const CREATE = 'Create a new event';

type EditProps = { event: Occurrence; isGone: boolean; onDone: () => void };

const Edit = ({ event: now, isGone, onDone }: EditProps) => {
  const base = useSignal(now);
  const { value: event } = base;
  const { over, ...button } = useOver(base, now, 'Save');
  const isSeen = useKeysShown(isGone ? [`gone ${event.uid}`] : []);
  const { busy, url } = event;
  return (
    <article aria-label={`Edit ${event.title}`}>
      {isGone ? <Lost uid={event.uid} /> : <Meanwhile base={base} now={now} fields={EDITED} draft={draftOf(event)} />}
      <EventForm
        key={event.version}
        draft={draftOf(event)}
        version={event.version}
        given={{ ...event, start: startOf(event) }}
        rule={event.recurrence_id === null || isGone ? undefined : event.rrule}
        {...(isGone ? { action: CREATE, isReady: isSeen } : button)}
        onSave={async (given, scope) => {
          // A click in the moment in which it goes is for the event that was there, and is refused.
          if (isGone && isSeen) return createEvent({ ...given, busy, url });
          const updates = updatesOf(event, given);
          return Object.keys(updates).length === 0 || editEvent(over, updates, scope, 'Saved');
        }}
        onDone={onDone}
      />
    </article>
  );
};

const REMOVALS: [Scope, string][] = [
  ['this', 'Remove this one'],
  ['following', 'Remove this and later ones'],
  ['all', 'Remove the series'],
];

/** Whose proposal made an event. */
const Proposer = ({ of: uid }: { of: string }) => {
  const { data: plan } = useAnswer(uid, [], () => client.agent.getPlan({ uid }));
  if (plan?.origin === 'user') return <>a proposal of your own</>;
  return (
    <>
      an approved proposal
      {plan && (
        <>
          {' of '}
          <Foreign>{proposerOf(plan)}</Foreign>
        </>
      )}
    </>
  );
};

/** It can be taken back, so the button asks nothing. The card goes at once, so a second click removes nothing else. */
const Removal = ({ event, onDone }: { event: Occurrence; onDone: () => void }) => {
  const choices: [Scope, string][] = event.recurrence_id === null ? [['all', 'Remove']] : REMOVALS;
  const remove = (scope: Scope): void => {
    void removeEvent(event, scope);
    closeGone(event.uid, onDone);
  };
  return (
    <>
      {choices.map(([scope, name]) => (
        <button key={scope} type="button" class="danger" onClick={() => remove(scope)}>
          {name}
        </button>
      ))}
    </>
  );
};

type AskedProps = { event: Occurrence; onKeep: () => void; onDone: () => void };

/** What the Delete key asks, which is pressed by mistake more easily than the button. */
const AskedRemoval = ({ event, onKeep, onDone }: AskedProps) => {
  const safe = useFocus<HTMLButtonElement>();
  return (
    <div class="buttons" role="group" aria-label={`Remove ${event.title}?`}>
      <span class="why">Do you want to remove this event?</span>
      <button type="button" ref={safe} data-first="" data-keep="" onClick={onKeep}>
        Keep
      </button>
      <Removal event={event} onDone={onDone} />
    </div>
  );
};

/** Each leads to the card of the proposal. */
const Proposed = ({ event }: { event: Occurrence }) => {
  const plans = proposalsFor(event);
  if (!plans.length) return null;
  return (
    <>
      <dt>Proposed</dt>
      <dd class="lines">
        {plans.map((plan) => (
          <Way key={plan.uid} to="queue" with={{ plan: plan.uid }}>
            {cancels(plan) ? 'Cancel it' : plan.scheduled_for === null ? 'Change it' : `Move it to ${startText(plan)}`}
            {later(plan)}
          </Way>
        ))}
      </dd>
    </>
  );
};

/** An event of a calendar elsewhere is changed there. */
const Source = ({ event }: { event: Occurrence }) => (
  <>
    <dt>Calendar</dt>
    <dd class="lines" data-source="">
      <Foreign lines={2}>{sourceOf(event)?.name ?? 'A calendar elsewhere'}</Foreign>
      <small>It is read from elsewhere. Change the event there.</small>
      {event.stale_since && <small>Its newest form cannot be read.</small>}
    </dd>
  </>
);

/** `pinned`: it stays; else it only follows the pointer. */
type CardProps = {
  event: Occurrence;
  pinned: boolean;
  removing: boolean;
  /** What is shown where the event is gone from the screen; a form in which the person writes stays. */
  gone: ComponentChildren;
  onDone: () => void;
};

export const EventCard = ({ event, pinned, removing, gone, onDone }: CardProps) => {
  const isChangeable = event.source_uid === undefined;
  const { isEditing, edit } = useEditing(draftOf(event), pinned && isChangeable && asOf.value === undefined);
  const { uid, recurrence_id, rrule, title, description, location, url } = event;
  if (isEditing && !removing) return <Edit event={event} isGone={Boolean(gone)} onDone={onDone} />;
  if (gone) return gone;
  return (
    <article aria-label={`Event: ${title}`}>
      <h2>
        <Foreign>{title}</Foreign>
      </h2>
      <p class="when">
        {event.all_day ? `${longDate(event.local_start.slice(0, 10))}, all day` : momentOf(event.scheduled_for)}
        {!event.all_day && ` · ${lengthText(event.duration_minutes)}`}
        {recurrence_id && ` · ${rrule === null ? 'on listed days' : ruleText(rrule)}`}
        {!event.busy && ' · free'}
      </p>
      <dl>
        {location && (
          <>
            <dt>Where</dt>
            <dd>
              <Foreign>{location}</Foreign>
            </dd>
          </>
        )}
        {url && (
          <>
            <dt>Link</dt>
            <dd>
              <ForeignLink href={url} />
            </dd>
          </>
        )}
        {description && (
          <>
            <dt>Notes</dt>
            <dd class="scrolls" tabIndex={0}>
              <Foreign>{description}</Foreign>
            </dd>
          </>
        )}
        {event.source_uid !== undefined && <Source event={event} />}
        <Proposed event={event} />
        {event.plan_uid && (
          <>
            <dt>From</dt>
            <dd>
              <Proposer of={event.plan_uid} />
            </dd>
          </>
        )}
        <dt>History</dt>
        <dd>
          <Way to="ledger" with={{ uid }}>
            All changes of the event
          </Way>
          {event.plan_uid && (
            <>
              {' · '}
              <Way to="memory" with={{ trace: event.plan_uid }}>
                History of the proposal
              </Way>
            </>
          )}
        </dd>
      </dl>
      {isChangeable && asOf.value !== undefined && (
        <div class="buttons">
          <button type="button" onClick={() => void putBack(event).then((worked) => worked && onDone())}>
            Put back as it was then
          </button>
        </div>
      )}
      {isChangeable &&
        asOf.value === undefined &&
        (removing ? (
          <AskedRemoval event={event} onKeep={() => askRemoval(false)} onDone={onDone} />
        ) : (
          <div class="buttons">
            <button type="button" data-edit="" onClick={edit}>
              Edit
            </button>
            <Removal event={event} onDone={onDone} />
          </div>
        ))}
    </article>
  );
};
