/** One entry of the ledger: what was done as a sentence, what it says in words, and the document as the service keeps it. */
import type { LedgerEntry } from '../../../client/almanac-client.ts';
import { change, travel } from '../state/address.ts';
import { asDoc, FIELD_NAMES, type Doc } from '../state/field-names.ts';
import { documentAt } from '../state/past.ts';
import { useAnswer } from '../state/use-answer.ts';
import { changedText, Changes, movedText } from '../ui/changes.tsx';
import { Deed, isRecord } from '../ui/deed.tsx';
import { valueText } from '../ui/fields-text.ts';
import { Foreign } from '../ui/text.tsx';
import { useSeen } from '../ui/use-seen.ts';
import { capital, deedText } from '../ui/words.ts';

/** The version before, where there is one. */
const useBefore = ({ subject, subject_uid: uid, seq, version }: LedgerEntry, isWanted: boolean): Doc | undefined =>
  useAnswer(isWanted && uid && version > 1 ? `${uid} ${seq}` : undefined, [], () =>
    documentAt(subject, uid as string, seq - 1),
  ).data;

/** Of these the kind of the entry does not say what was changed. */
const SAYS_LITTLE: readonly string[] = ['event.updated', 'trace.updated', 'plan.edited', 'profile.updated'];

const withChange = (entry: LedgerEntry, before: Doc): string | undefined => {
  const after = asDoc(entry.payload ?? {});
  const moved = movedText(before, after);
  if (moved && entry.kind === 'event.updated') return `moved … ${moved}`;
  const changed = moved ? `, ${moved}` : changedText(before, after);
  return changed && `${deedText(entry)}${moved ? '' : ': '}${changed}`;
};

/** What was changed needs the version before. It is asked for when the line is seen. */
const ChangeDeed = ({ entry }: { entry: LedgerEntry }) => {
  const { element, isSeen } = useSeen<HTMLSpanElement>();
  const before = useBefore(entry, isSeen.value);
  const deed = before && withChange(entry, before);
  return (
    <span ref={element}>
      <Deed entry={entry} {...(deed ? { deed } : {})} />
    </span>
  );
};

export const Sentence = ({ entry }: { entry: LedgerEntry }) => (
  <span class="what">{SAYS_LITTLE.includes(entry.kind) ? <ChangeDeed entry={entry} /> : <Deed entry={entry} />}</span>
);

/** The fields of keys, checkpoints and others that mean something to a person. */
const NAMES: Readonly<Record<string, string>> = {
  ...FIELD_NAMES,
  ...{ label: 'name', tag: 'name', scopes: 'may', expires_at: 'ends', revoked_at: 'ended', email: 'address' },
};
const MOST_CHARACTERS = 1_000;
const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} […]` : text;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  [undefined, '', false].includes(value as undefined) ||
  (typeof value === 'object' && !Object.keys(value).length);

/** What a first version says, without the fields that are empty. */
const Facts = ({ doc }: { doc: Doc }) => (
  <dl>
    {Object.entries(NAMES).flatMap(([field, name]) =>
      isEmpty(doc[field]) || (field === 'content' && doc['content'] === doc['title'])
        ? []
        : [
            <dt key={`${field} name`}>{capital(name)}</dt>,
            <dd key={field}>
              <Foreign>{shortened(valueText(doc[field], `/${field}`))}</Foreign>
            </dd>,
          ],
    )}
  </dl>
);

/** The ids and hashes, by which others can check the entry. */
const AsKept = ({ entry }: { entry: LedgerEntry }) => (
  <details>
    <summary>As the service keeps it: ids, hashes and the document</summary>
    <dl>
      <dt>Kind</dt>
      <dd>
        <code>{entry.kind}</code>
      </dd>
      <dt>Thing</dt>
      <dd>
        <Foreign>{`${entry.subject} ${entry.subject_uid ?? '(not shown)'}, version ${entry.version}`}</Foreign>
      </dd>
      <dt>Actor</dt>
      <dd>
        <code>{entry.actor}</code>
      </dd>
      <dt>Hash of the document</dt>
      <dd>
        <code>{entry.payload_hash}</code>
      </dd>
      <dt>Hash of the entry</dt>
      <dd>
        <code>{entry.hash}</code>
      </dd>
    </dl>
    <pre tabIndex={0} aria-label="Document">
      {entry.payload ? JSON.stringify(entry.payload, null, 2) : 'The document is not shown.'}
    </pre>
  </details>
);

/** @param isOne whether the act has no other entry, so that the line has said the same */
export const Entry = ({ entry, isOne }: { entry: LedgerEntry; isOne: boolean }) => {
  const before = useBefore(entry, true);
  const after = entry.payload && asDoc(entry.payload);
  return (
    <section>
      {!isOne && (
        <h2>
          Entry {entry.seq}: <Deed entry={entry} />
        </h2>
      )}
      {after && before && <Changes before={before} after={after} />}
      {after && entry.version === 1 && !isRecord(entry) && <Facts doc={after} />}
      <div class="buttons">
        <button type="button" onClick={() => change({ uid: entry.subject_uid })}>
          All versions of this
        </button>
        <button type="button" onClick={() => travel(String(entry.seq))}>
          See everything as of then
        </button>
      </div>
      <AsKept entry={entry} />
    </section>
  );
};
