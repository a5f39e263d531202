/** Memory: search, a timeline by task, and one trace with everything that is known about it. */
import { asOf, change, parameter } from '../state/address.ts';
import { Form } from '../ui/form.tsx';
import { Filters } from './filters.tsx';
import { byTask } from './found.ts';
import { Hits } from './hits.tsx';
import { NewNote } from './note-form.tsx';
import { Trace } from './trace.tsx';

export const Memory = () => (
  <section class="memory">
    <div class="toolbar">
      <h1>Memory</h1>
      <Form
        key={parameter('find')}
        role="search"
        onSend={({ text }) => {
          change({ find: text('find').trim() || undefined, trace: undefined });
          return false;
        }}
      >
        <input
          name="find"
          type="search"
          aria-label="Search memory"
          placeholder="Words, @tag, #task"
          maxLength={1000}
          defaultValue={parameter('find') ?? ''}
          dir="auto"
        />
        <button type="submit" class="primary">
          Search
        </button>
      </Form>
      <div class="group" role="group" aria-label="Order">
        <button type="button" aria-pressed={!byTask.value} onClick={() => change({ view: undefined })}>
          List
        </button>
        <button type="button" aria-pressed={byTask.value} onClick={() => change({ view: 'timeline' })}>
          By task
        </button>
      </div>
      {asOf.value === undefined && (
        <button type="button" onClick={() => change({ write: '' })}>
          New note
        </button>
      )}
    </div>
    <Filters />
    <div class="two">
      <Hits />
      {parameter('write') !== undefined && asOf.value === undefined ? (
        <NewNote />
      ) : parameter('trace') === undefined ? (
        <p class="empty">Choose a trace to see its versions.</p>
      ) : (
        <Trace />
      )}
    </div>
  </section>
);
