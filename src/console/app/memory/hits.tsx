/** What was found, as a list or as a timeline of each task. */
import { asOf, change, parameter } from '../state/address.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { Foreign } from '../ui/text.tsx';
import { typeText } from '../ui/words.ts';
import { byTask, found, shownKind, type Found } from './found.ts';

/** The service puts the words that match between pairs of asterisks. */
const Snippet = ({ text }: { text: string }) => (
  <bdi class="foreign">{text.split('**').map((part, n) => (n % 2 ? <mark key={n}>{part}</mark> : part))}</bdi>
);

const list = (words: readonly string[]): string => words.map((word) => `“${word}”`).join(', ');

/** The reasons of the search, as sentences. */
const reasonsOf = ({ explain, confidence }: Found): string[] => {
  if (!explain) return [];
  const { keyword, tag, semantic } = explain.arms;
  const { boost, corrected = {}, degraded = {}, unavailable = {} } = explain;
  return [
    ...(keyword?.matched?.length ? [`It has the words ${list(keyword.matched)}.`] : []),
    ...(keyword?.lent?.length ? [`Its neighbours in the task have ${list(keyword.lent)}.`] : []),
    ...(keyword?.task ? ['Its whole task is about the question.'] : []),
    ...(keyword?.reasons ?? []),
    ...(tag?.matched?.length ? [`It has the tags ${list(tag.matched)}.`] : []),
    ...(semantic ? [`By meaning, it is number ${semantic.rank} of what was found.`] : []),
    ...(boost > 1.001 ? ['It is recent or was rated well, which raises it a little.'] : []),
    ...Object.entries(corrected).map(([typed, meant]) => `“${typed}” was read as “${meant}”.`),
    ...Object.values({ ...unavailable, ...degraded }),
    ...(confidence === undefined ? [] : [`${Math.round(confidence * 100)} % of the question was found.`]),
  ];
};

const Hit = ({ hit }: { hit: Found }) => {
  const reasons = reasonsOf(hit);
  return (
    <li>
      <button type="button" aria-pressed={parameter('trace') === hit.uid} onClick={() => change({ trace: hit.uid })}>
        <Snippet text={hit.snippet} />
        <small>
          {momentOf(hit.timestamp)} · {typeText(hit)}
          {hit.task_id !== null && !byTask.value && (
            <>
              {' · '}
              <Foreign>{hit.task_id}</Foreign>
            </>
          )}
        </small>
      </button>
      {reasons.length > 0 && (
        <details>
          <summary>Why this one</summary>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>
                <Foreign>{reason}</Foreign>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
};

/** Newest task first, and in each the oldest trace first, as it was lived. */
const Timeline = ({ hits }: { hits: Found[] }) => {
  const tasks = new Map<string | null, Found[]>();
  for (const hit of hits.toSorted((a, b) => a.timestamp.localeCompare(b.timestamp)))
    tasks.set(hit.task_id, [...(tasks.get(hit.task_id) ?? []), hit]);
  const newest = [...tasks].toSorted(([, a], [, b]) =>
    (b.at(-1)?.timestamp ?? '').localeCompare(a.at(-1)?.timestamp ?? ''),
  );
  return (
    <div class="tasks">
      {newest.map(([task, some]) => (
        <section key={task}>
          <h2>
            {task === null ? 'Without a task' : <Foreign lines={1}>{task}</Foreign>} <small>({some.length})</small>
            {task !== null && parameter('task') === undefined && (
              <button type="button" class="plain" onClick={() => change({ task })}>
                Only this task
              </button>
            )}
          </h2>
          <ol class="hits timeline">
            {some.map((hit) => (
              <Hit key={hit.uid} hit={hit} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
};

const FILTERS = ['find', 'by', 'task', 'from', 'to'];

const Nothing = () => {
  const filtered = FILTERS.some((name) => parameter(name) !== undefined);
  const what = shownKind.value === 'note' ? 'note' : 'entry of this kind';
  const when = filtered ? ' is like that' : asOf.value === undefined ? ' is here yet' : ' was here then';
  return (
    <div class="empty">
      <p>{shownKind.value === 'all' ? `Nothing${when}.` : `No ${what}${when}.`}</p>
      {shownKind.value !== 'all' && (
        <button type="button" onClick={() => change({ kind: 'all' })}>
          Look in everything
        </button>
      )}
    </div>
  );
};

export const Hits = () => {
  const hits = found.data.value;
  if (found.error.value !== undefined) return <Failure error={found.error.value} />;
  if (!hits) return <p class="empty">Loading…</p>;
  if (!hits.length) return <Nothing />;
  if (byTask.value) return <Timeline hits={hits} />;
  return (
    <ol class="hits">
      {hits.map((hit) => (
        <Hit key={hit.uid} hit={hit} />
      ))}
    </ol>
  );
};
