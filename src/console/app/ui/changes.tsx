/** What differs between two versions of a document, field by field, in the words of a person. */
import type { Plan } from '../../../client/almanac-client.ts';
import { FIELD_NAMES, type Doc } from '../state/field-names.ts';
import { dayText, momentOf, wallFrom } from '../state/wall-time.ts';
import { fieldName, valueText } from './fields-text.ts';
import { Foreign, Hidden } from './text.tsx';
import { shortened, wordDiff } from './word-diff.ts';
import { capital, noteSentence, outcomeText } from './words.ts';

type Change = { path: string; before: unknown; after: unknown };

/** Inside of a field, these follow from others. */
const DERIVED = new Set(['end', 'local_start']);

const isObject = (value: unknown): value is Doc => typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

const changesAt = (path: string, before: unknown, after: unknown): Change[] => {
  if (isSame(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !DERIVED.has(name))
    .flatMap((name) => changesAt(`${path}/${name}`, before[name], after[name]));
};

const changesOf = (before: Doc, after: Doc): Change[] =>
  Object.keys(FIELD_NAMES).flatMap((name) => changesAt(`/${name}`, before[name], after[name]));

/** When the thing of a document is. A whole day has its date in every zone. */
export const whenOf = ({ scheduled_for, all_day, local_start }: Doc): string => {
  if (all_day === true && typeof local_start === 'string') return dayText(wallFrom(local_start).date);
  return typeof scheduled_for === 'string' ? momentOf(scheduled_for) : '';
};

/** `from Thu 26 Nov, 10:00 to Fri 27 Nov, 10:00`, where both have a time and it is another one. */
export const movedText = (before: Doc, after: Doc): string => {
  const [from, to] = [whenOf(before), whenOf(after)];
  return from && to && from !== to ? `from ${from} to ${to}` : '';
};

/** A line names at most this many. */
const NAMED = 3;

/** The names of the fields that changed: `where, notes`. */
export const changedText = (before: Doc, after: Doc): string => {
  const names = [...new Set(changesOf(before, after).map(({ path }) => fieldName(path)))];
  return `${names.slice(0, NAMED).join('; ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`;
};

const Words = ({ before, after }: { before: string; after: string }) => (
  <bdi class="foreign words">
    {shortened(wordDiff(before, after)).map(({ op, text }, n) =>
      op === 'same' ? text : op === 'added' ? <ins key={n}>{text}</ins> : <del key={n}>{text}</del>,
    )}
  </bdi>
);

const ChangeLine = ({ path, before, after }: Change) => (
  <li>
    {capital(fieldName(path))}{' '}
    {typeof before === 'string' && typeof after === 'string' && (before + after).includes(' ') ? (
      <Words before={before} after={after} />
    ) : (
      <>
        <Foreign>{valueText(before, path)}</Foreign> <span aria-hidden="true">→</span> <Hidden>to </Hidden>
        <Foreign>{valueText(after, path)}</Foreign>
      </>
    )}
  </li>
);

export const isPlan = (doc: Doc): boolean => doc['type'] === 'agent_plan';

/** How a proposal ended, or that it waits again; its status alone does not say why. */
export const Outcome = ({ doc }: { doc: Doc }) => {
  const plan = doc as unknown as Plan;
  return (
    <p>
      {outcomeText(plan)}
      {plan.decision?.note && (
        <>
          {': '}
          <Foreign lines={2}>{noteSentence(plan.decision)}</Foreign>
        </>
      )}
    </p>
  );
};

export const Changes = ({ before, after }: { before: Doc; after: Doc }) => {
  const moved = movedText(before, after);
  const all = changesOf(before, after);
  const isDecided = isPlan(after) && all.some(({ path }) => path === '/status');
  const listed = all.filter(
    ({ path }) => !(isDecided && path === '/status') && !(moved !== '' && path === '/scheduled_for'),
  );
  return (
    <>
      {isDecided && <Outcome doc={after} />}
      {(moved || listed.length > 0) && (
        <ul class="changes">
          {moved && <li>Moved {moved}</li>}
          {listed.map((change) => (
            <ChangeLine key={change.path} {...change} />
          ))}
        </ul>
      )}
    </>
  );
};
