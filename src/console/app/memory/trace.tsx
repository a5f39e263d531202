/** One trace: its text, which can be edited in place, its rating and notes, its links, transitions and versions. */
import { useSignal } from '@preact/signals';
import { AlmanacProblem, type Trace as TraceDoc } from '../../../client/almanac-client.ts';
import { traceKind } from '../../../domain/record/trace-kind.ts';
import { asOf } from '../state/address.ts';
import { touchAll } from '../state/live.ts';
import { attempt } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { useEditing } from '../ui/draft.ts';
import type { Fields } from '../ui/fields.ts';
import { Meanwhile, useOver } from '../ui/meanwhile.tsx';
import { Foreign } from '../ui/text.tsx';
import { typeText } from '../ui/words.ts';
import { history } from './found.ts';
import { Links } from './links.tsx';
import { NoteForm, writtenIn } from './note-form.tsx';
import { changeNote, removeNote, WRITTEN } from './notes.ts';
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
          <span aria-hidden="true">{shown !== null && n <= shown ? '★' : '☆'}</span>
        </label>
      ))}
    </fieldset>
  );
};

const draftOf = ({ uid }: TraceDoc): string => `trace ${uid}`;

const Edit = ({ trace: now, onDone }: { trace: TraceDoc; onDone: () => void }) => {
  const base = useSignal(now);
  const over = useOver(base, now, 'Save');
  return (
    <>
      <Meanwhile base={base} now={now} fields={WRITTEN} draft={draftOf(now)} />
      <EditForm key={base.value.version} trace={base.value} {...over} onDone={onDone} />
    </>
  );
};

type EditProps = { trace: TraceDoc; over: TraceDoc; action: string; isReady: boolean; onDone: () => void };

const EditForm = ({ trace, over, onDone, ...button }: EditProps) => {
  const onSend = async ({ text, isChanged }: Fields): Promise<boolean> => {
    const written = writtenIn(text);
    const updates = Object.fromEntries(WRITTEN.filter(isChanged).map((name) => [name, written[name]]));
    const isSame = !Object.keys(updates).length && !over.removed;
    const worked = isSame || (await changeNote(over, updates));
    if (worked) onDone();
    return worked;
  };
  return <NoteForm draft={draftOf(trace)} given={trace} {...button} onSend={onSend} onDone={onDone} />;
};

/** Records of transitions and of events are written by the service, and plans are changed where they are decided. */
const isNote = (trace: TraceDoc): boolean => asOf.value === undefined && traceKind(trace) === 'note';
const canEdit = (trace: TraceDoc): boolean => isNote(trace) && trace.removed !== true;

const Text = ({ trace }: { trace: TraceDoc }) => {
  const { isEditing, edit, leave } = useEditing(draftOf(trace), true);
  // A note that is removed meanwhile keeps its form.
  if (isEditing && isNote(trace)) return <Edit trace={trace} onDone={leave} />;
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
          <strong>Comment</strong> <Foreign>{trace.notes}</Foreign>
        </p>
      )}
      {canEdit(trace) && (
        <div class="buttons">
          <button type="button" onClick={edit}>
            Edit
          </button>
          <button type="button" onClick={() => void removeNote(trace)}>
            Remove
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
        {typeText(trace)}
        {trace.task_id !== null && (
          <>
            {' · '}
            <Foreign>{trace.task_id}</Foreign>
          </>
        )}
      </h2>
      <small>{momentOf(trace.timestamp)}</small>
      {trace.removed && (
        <p class="failure">This was removed. {isNote(trace) && '“Restore this version” below brings it back.'}</p>
      )}
      <Text trace={trace} />
      {traceKind(trace) !== 'decision' && <Rating trace={trace} />}
      <Links />
      {trace.type === 'agent_plan' && <Transitions entries={entries} />}
      <Versions entries={entries} canRestore={isNote(trace)} />
    </article>
  );
};
