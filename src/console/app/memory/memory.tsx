/** Memory: search, a timeline by task, and one trace with everything that is known about it. */
import { change, parameter } from '../state/address.ts';
import { fieldsOf } from '../ui/fields.ts';
import { byTask } from './found.ts';
import { Hits } from './hits.tsx';
import { Trace } from './trace.tsx';

export const Memory = () => (
  <section class="memory">
    <div class="toolbar">
      <h1>Memory</h1>
      <form
        key={parameter('find')}
        role="search"
        onSubmit={(event) => change({ find: fieldsOf(event)('find').trim() || undefined, trace: undefined })}
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
      </form>
      <div class="group" role="group" aria-label="Order">
        <button type="button" aria-pressed={!byTask.value} onClick={() => change({ view: undefined })}>
          List
        </button>
        <button type="button" aria-pressed={byTask.value} onClick={() => change({ view: 'timeline' })}>
          By task
        </button>
      </div>
    </div>
    <div class="two">
      <Hits />
      {parameter('trace') === undefined ? <p class="empty">Choose a trace to see its versions.</p> : <Trace />}
    </div>
  </section>
);
