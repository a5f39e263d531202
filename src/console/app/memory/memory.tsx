/** Memory: search, a timeline by task, and one trace with everything that is known about it. */
import { asOf, change, parameter } from '../state/address.ts';
import { isRead } from '../state/resource.ts';
import { Search } from '../ui/filters.tsx';
import { Filters } from './filters.tsx';
import { byTask, found } from './found.ts';
import { Hits } from './hits.tsx';
import { NewNote } from './note-form.tsx';
import { Trace } from './trace.tsx';

export const Memory = () => (
  <section class="memory">
    <div class="toolbar">
      <h1>Memory</h1>
      <Search
        label="Search memory"
        placeholder="Words, @tag, #task"
        isFirst={parameter('trace') === undefined && parameter('write') === undefined}
        onSearch={(find) => change({ find, trace: undefined })}
      />
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
        isRead(found) && <p class="empty">Choose one to see its versions.</p>
      ) : (
        <Trace />
      )}
    </div>
  </section>
);
