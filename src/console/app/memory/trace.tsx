/** One trace: its text, which can be edited in place, its rating and notes, its links, transitions and versions. */
import { useSignal } from '@preact/signals';
import { AlmanacProblem, type Trace as TraceDoc } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { fieldsOf } from '../ui/fields.ts';
import { Foreign } from '../ui/text.tsx';
import { useFocus } from '../ui/use-focus.ts';
import { history } from './found.ts';
import { Links } from './links.tsx';
import { Transitions, Versions } from './versions.tsx';

const RATINGS = [1, 2, 3, 4, 5] as const;
const RATING_NAMES = ['bad', 'poor', 'fair', 'good', 'very good'];

/** The new rating is shown at once, and the old one again where the service refuses. */
const Rating = ({ trace }: { trace: TraceDoc }) => {
  const chosen = useSignal<number | undefined>(undefined);
  const shown = chosen.value ?? trace.feedback_rating;
  const rate = async (feedback_rating: number): Promise<void> => {
    chosen.value = feedback_rating;
    await attempt(() => client.agent.feedback({ uid: trace.uid, feedback_rating }));
    touchAll();
    setTimeout(() => (chosen.value = undefined), 500);
  };
  return (
    <fieldset class="rating" disabled={asOf.value !== undefined}>
      <legend>Rating</legend>
      {RATINGS.map((n) => (
        <label key={n} data-on={shown !== null && n <= shown ? '' : undefined}>
          <input
            type="radio"
            name="rating"
            class="hidden"
            aria-label={`${n}, ${RATING_NAMES[n - 1]}`}
            checked={shown === n}
            onChange={() => void rate(n)}
          />
          <span aria-hidden="true">★</span>
        </label>
      ))}
    </fieldset>
  );
};

const EditForm = ({ trace, onDone }: { trace: TraceDoc; onDone: () => void }) => {
  const text = useFocus<HTMLTextAreaElement>();
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    const field = fieldsOf(event);
    const tags = field('tags')
      .split(/[\s,]+/)
      .filter(Boolean);
    const [content, notes, task_id] = [field('content'), field('notes') || null, field('task') || null];
    const updates = {
      ...(content === trace.content ? {} : { content }),
      ...(notes === trace.notes ? {} : { notes }),
      ...(task_id === trace.task_id ? {} : { task_id }),
      ...(tags.join(' ') === trace.tags.join(' ') ? {} : { tags }),
    };
    const worked =
      !Object.keys(updates).length ||
      (await attempt(async () => {
        await client.memory.edit({ uid: trace.uid, updates }, { ifMatch: trace.version });
        touchAll();
        say('The trace is saved as a new version.');
      }));
    if (worked) onDone();
  };
  return (
    <form class="edit" onSubmit={(event) => void onSubmit(event)}>
      <label>
        Text{' '}
        <textarea
          ref={text}
          name="content"
          rows={6}
          required
          maxLength={100_000}
          dir="auto"
          defaultValue={trace.content}
        />
      </label>
      <label>
        Tags <input name="tags" dir="auto" defaultValue={trace.tags.join(' ')} />
      </label>
      <label>
        Task <input name="task" maxLength={255} dir="auto" defaultValue={trace.task_id ?? ''} />
      </label>
      <label>
        Notes <textarea name="notes" rows={2} maxLength={10_000} dir="auto" defaultValue={trace.notes ?? ''} />
      </label>
      <div class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
};

/** Records of transitions and of events are written by the service, and plans are changed where they are decided. */
const canEdit = (trace: TraceDoc): boolean =>
  asOf.value === undefined && !['agent_plan', 'calendar_event'].includes(trace.type) && !('transition' in trace);

const Text = ({ trace }: { trace: TraceDoc }) => {
  const editing = useSignal(false);
  if (editing.value) return <EditForm trace={trace} onDone={() => (editing.value = false)} />;
  return (
    <>
      <p class="content" tabIndex={0}>
        <Foreign>{trace.content}</Foreign>
      </p>
      {trace.tags.length > 0 && (
        <p class="tags">
          {trace.tags.map((tag) => (
            <span key={tag}>
              <Foreign lines={1}>{tag}</Foreign>
            </span>
          ))}
        </p>
      )}
      {trace.notes !== null && (
        <p class="notes">
          <strong>Notes</strong> <Foreign>{trace.notes}</Foreign>
        </p>
      )}
      {canEdit(trace) && (
        <div class="buttons">
          <button type="button" onClick={() => (editing.value = true)}>
            Edit
          </button>
        </div>
      )}
    </>
  );
};

export const Trace = () => {
  const entries = history.data.value;
  const { value: error } = history.error;
  if (asOf.value !== undefined && error instanceof AlmanacProblem && error.status === 404)
    return <p class="empty">This trace was not known then.</p>;
  if (error !== undefined) return <Failure error={error} />;
  if (!entries || history.stale.value) return <p class="empty">Loading…</p>;
  const [latest] = entries;
  if (!latest) return <p class="empty">This trace was not known then.</p>;
  const { trace } = latest;
  return (
    <article aria-label="Trace" key={trace.uid}>
      <h2>
        {trace.type.replaceAll('_', ' ')}
        {trace.task_id !== null && (
          <>
            {' · '}
            <Foreign>{trace.task_id}</Foreign>
          </>
        )}
      </h2>
      <small>
        {momentOf(trace.timestamp)} · <Foreign>{trace.uid}</Foreign>
      </small>
      {latest.action === 'removed' && <p class="failure">This trace was removed. Its history can still be read.</p>}
      <Text trace={trace} />
      <Rating trace={trace} />
      <Links />
      {trace.type === 'agent_plan' && <Transitions entries={entries} />}
      <Versions entries={entries} />
    </article>
  );
};
