/** The tempo hours as a list of forms, which does by words what the week template does by dragging. */
import { asOf } from '../state/address.ts';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { DAYS, weekOf, type Range } from '../ui/hours-text.ts';
import { ONE_STAYS } from './hours.ts';
import { addRange, changeRange, ranges, removeRange } from './preferences.ts';

const One = ({ range, index }: { range: Range; index: number }) => {
  const isLast = ranges().length === 1;
  const save = ({ text, ticked }: Fields): Promise<boolean> =>
    changeRange(index, {
      name: text('name').trim(),
      days: DAYS.filter((day) => ticked('day').includes(day)),
      start: text('start'),
      // The browser has no 24:00.
      end: text('end') === '00:00' ? '24:00' : text('end'),
    });
  return (
    <li>
      <Form draft={`hours ${JSON.stringify(range)}`} stays onSend={save}>
        <div class="fields">
          <label>
            Name <input name="name" required maxLength={64} defaultValue={range.name} dir="auto" />
          </label>
          <label>
            From <input name="start" type="time" required defaultValue={range.start} />
          </label>
          <label>
            To <input name="end" type="time" required defaultValue={range.end === '24:00' ? '00:00' : range.end} />
          </label>
        </div>
        <div class="days-of" role="group" aria-label={`Days of ${range.name}`}>
          {weekOf('short').map(({ day, name }) => (
            <label key={day} class="check">
              <input type="checkbox" name="day" value={day} defaultChecked={range.days.includes(day)} />
              <span>{name}</span>
            </label>
          ))}
        </div>
        <div class="buttons">
          <button type="submit">Save</button>
          <button
            type="button"
            class="danger"
            aria-label={`Remove ${range.name}`}
            aria-describedby={isLast ? 'one-stays' : undefined}
            disabled={isLast}
            onClick={() => removeRange(index)}
          >
            Remove
          </button>
        </div>
        {isLast && (
          <p id="one-stays" class="quiet">
            {ONE_STAYS}
          </p>
        )}
      </Form>
    </li>
  );
};

/** A long list would push the limits out of view. */
const OPEN_AT_MOST = 3;

export const RangeList = () => (
  <details open={ranges().length <= OPEN_AT_MOST}>
    <summary>Hours as a list: names, days and exact times</summary>
    <p class="quiet">What is changed or removed here applies to all days of the set.</p>
    <ul class="items">
      {ranges().map((range, index) => (
        // A change from elsewhere gives the form its new values.
        <One key={`${index} ${JSON.stringify(range)}`} range={range} index={index} />
      ))}
    </ul>
    {asOf.value === undefined && (
      <div class="buttons">
        <button
          type="button"
          onClick={() => void addRange({ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '12:00' })}
        >
          Add hours
        </button>
      </div>
    )}
  </details>
);
