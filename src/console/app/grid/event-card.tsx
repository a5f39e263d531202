/** An event: what it is, changing and removing it; and the form of a new one. */
import { useSignal } from '@preact/signals';
import type { Occurrence } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { lengthText, longDate, momentOf, wallFrom, wallOf, wallText, type Wall } from '../state/wall-time.ts';
import { fieldsOf } from '../ui/fields.ts';
import { Foreign, ForeignLink } from '../ui/text.tsx';
import { Way } from '../ui/way.tsx';
import type { Scope } from './drag.ts';

type FormProps = {
  title: string;
  start: Wall;
  minutes: number;
  series: boolean;
  action: string;
  onSave: (given: { title: string; start: string; minutes: number; scope: Scope }) => Promise<boolean>;
  onDone: () => void;
};

const EventForm = ({ title, start, minutes, series, action, onSave, onDone }: FormProps) => (
  <form
    class="edit"
    onSubmit={(event) => {
      const field = fieldsOf(event);
      const scope = (field('scope') || 'all') as Scope;
      void onSave({
        title: field('title'),
        start: wallText(wallFrom(field('start'))),
        minutes: Number(field('minutes')),
        scope,
      }).then((worked) => worked && onDone());
    }}
  >
    <label>
      Title <input name="title" required maxLength={500} defaultValue={title} dir="auto" data-first="" />
    </label>
    <label>
      Start <input name="start" type="datetime-local" required defaultValue={wallText(start)} />
    </label>
    <label>
      Minutes <input name="minutes" type="number" min={1} max={40_320} required defaultValue={minutes} />
    </label>
    {series && (
      <label>
        Change{' '}
        <select name="scope">
          <option value="this">this occurrence</option>
          <option value="following">this and all later ones</option>
          <option value="all">the whole series</option>
        </select>
      </label>
    )}
    <div class="buttons">
      <button type="submit" class="primary">
        {action}
      </button>
      <button type="button" onClick={onDone}>
        Close
      </button>
    </div>
  </form>
);

export const NewEvent = ({ start, minutes, onDone }: { start: Wall; minutes: number; onDone: () => void }) => (
  <article aria-label="New event">
    <h2>New event</h2>
    <EventForm
      {...{ title: '', start, minutes, series: false, action: 'Create', onDone }}
      onSave={(given) =>
        attempt(async () => {
          const { uid, title } = await client.calendar.create({
            title: given.title,
            scheduled_for: given.start,
            duration_minutes: given.minutes,
          });
          touchAll();
          say(`Created: ${title}`, () => client.calendar.remove({ uid }));
        })
      }
    />
  </article>
);

export const EventCard = ({ event, onDone }: { event: Occurrence; onDone: () => void }) => {
  const editing = useSignal(false);
  const { uid, recurrence_id, title, description, location, url, version } = event;
  const remove = async (scope?: Scope): Promise<void> => {
    const worked = await attempt(() =>
      client.calendar.remove(
        { uid, ...(recurrence_id && scope ? { recurrence_id, scope } : {}) },
        { ifMatch: version },
      ),
    );
    touchAll();
    if (!worked) return;
    say(`Removed: ${title}`);
    onDone();
  };
  if (editing.value)
    return (
      <article aria-label={`Edit ${title}`}>
        <EventForm
          {...{
            title,
            minutes: event.duration_minutes,
            start: wallOf(event.scheduled_for),
            series: recurrence_id !== null,
            onDone,
          }}
          action="Save"
          onSave={(given) =>
            attempt(async () => {
              const updates = { title: given.title, scheduled_for: given.start, duration_minutes: given.minutes };
              await client.calendar.edit(
                { uid, updates, ...(recurrence_id ? { recurrence_id, scope: given.scope } : {}) },
                { ifMatch: version },
              );
              touchAll();
            })
          }
        />
      </article>
    );
  return (
    <article aria-label={`Event: ${title}`}>
      <h2>
        <Foreign lines={3}>{title}</Foreign>
      </h2>
      <p class="when">
        {event.all_day ? `${longDate(event.local_start.slice(0, 10))}, all day` : momentOf(event.scheduled_for)}
        {!event.all_day && ` · ${lengthText(event.duration_minutes)}`}
        {recurrence_id && ' · repeats'}
        {!event.busy && ' · free'}
      </p>
      <dl>
        {location && (
          <>
            <dt>Where</dt>
            <dd>
              <Foreign lines={2}>{location}</Foreign>
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
        {event.plan_uid && (
          <>
            <dt>From</dt>
            <dd>an approved proposal</dd>
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
      {asOf.value === undefined && (
        <div class="buttons">
          <button type="button" onClick={() => (editing.value = true)}>
            Edit
          </button>
          <button type="button" class="danger" onClick={() => void remove('this')}>
            {recurrence_id ? 'Remove this one' : 'Remove'}
          </button>
          {recurrence_id && (
            <button type="button" class="danger" onClick={() => void remove('all')}>
              Remove the series
            </button>
          )}
        </div>
      )}
    </article>
  );
};
