/** Calendars elsewhere that are read here, so that agents see when this person is busy. */
import type { CalendarSource } from '../../../client/almanac-client.ts';
import { sources } from '../state/data.ts';
import { save } from '../state/save.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { AskFirst } from '../ui/ask-first.tsx';
import { Failure } from '../ui/failure.tsx';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { ImportIcs } from '../ui/import-ics.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { counted } from '../ui/words.ts';

const stateText = ({ status, events, last_success_at, failing_since }: CalendarSource): string => {
  if (status === 'new') return 'It is being read for the first time.';
  const count = counted(events, 'event');
  const read = last_success_at === null ? '' : `, read ${momentOf(last_success_at)}`;
  return failing_since === null ? `${count}${read}` : `${count}${read}; fails since ${momentOf(failing_since)}`;
};

const Findings = ({ of, more = 0 }: { of: CalendarSource['warnings']; more?: number }) => (
  <ul>
    {of.map(({ line, uid, reason }) => (
      <li key={`${line} ${reason}`}>
        <small>
          <Foreign lines={3}>{`Line ${line}${uid === null ? '' : ` (${uid})`}: ${reason}`}</Foreign>
        </small>
      </li>
    ))}
    {more > 0 && (
      <li>
        <small>And {more} more.</small>
      </li>
    )}
  </ul>
);

const Source = ({ source }: { source: CalendarSource }) => {
  const { id, name, url, busy, last_error, unread, unread_components, warnings } = source;
  return (
    <li>
      <div class="line-of">
        <strong>
          <Foreign lines={1}>{name}</Foreign>
        </strong>
        <span class="buttons">
          <button
            type="button"
            aria-label={`Read ${name} now`}
            onClick={() => void save(() => client.sources.refresh({ id }), `Read again: ${name}`)}
          >
            Read now
          </button>
          <AskFirst
            name="Remove"
            label={`Remove ${name} and its events`}
            confirm="Remove with its events"
            onConfirm={() => void save(() => client.sources.remove({ id }), `Removed with its events: ${name}`)}
          />
        </span>
      </div>
      <small>{stateText(source)}</small>
      <small>
        {busy ? 'Its events count as busy.' : 'Its events never count as busy.'} <Foreign lines={1}>{url}</Foreign>
      </small>
      {last_error !== null && (
        <small class="bad">
          <Foreign lines={3}>{last_error}</Foreign>
        </small>
      )}
      {unread > 0 && (
        <details>
          <summary>{counted(unread, 'entry', 'entries')} of the file could not be read.</summary>
          <Findings of={unread_components} more={unread - unread_components.length} />
        </details>
      )}
      {warnings.length > 0 && (
        <details>
          <summary>Some of the file was changed or left out.</summary>
          <Findings of={warnings} />
        </details>
      )}
    </li>
  );
};

const NewSource = () => {
  const subscribe = ({ text }: Fields): Promise<boolean> => {
    const given = { url: text('url').trim(), name: text('name'), busy: text('busy') === 'on' };
    return save(() => client.sources.create(given), `Subscribed: ${given.name}`);
  };
  return (
    <Form draft="source" onSend={subscribe}>
      <div class="fields">
        <label>
          Name of the calendar <input name="name" required maxLength={200} placeholder="Work" dir="auto" />
        </label>
        <label>
          Address of the .ics file{' '}
          <input name="url" type="url" required maxLength={4000} placeholder="https://…/basic.ics" autocomplete="off" />
        </label>
      </div>
      <label class="check">
        <input type="checkbox" name="busy" defaultChecked /> <span>Its events make me busy</span>
      </label>
      <div class="buttons">
        <button type="submit">Subscribe</button>
      </div>
    </Form>
  );
};

export const Sources = () => (
  <Sheet
    title="Other calendars"
    about="Subscribe to the secret .ics address of a Google, Outlook or iCloud calendar. Its events are read-only here."
  >
    {sources.error.value !== undefined && <Failure error={sources.error.value} />}
    {(sources.data.value ?? []).length > 0 && (
      <ul class="items">
        {(sources.data.value ?? []).map((source) => (
          <Source key={source.id} source={source} />
        ))}
      </ul>
    )}
    <NewSource />
    <ImportIcs />
  </Sheet>
);
