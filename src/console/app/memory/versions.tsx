/** The versions of a trace as differences, and the transitions of a plan. */
import type { HistoryEntry, Trace } from '../../../client/almanac-client.ts';
import { asOf, travel } from '../state/address.ts';
import { asDoc } from '../state/field-names.ts';
import { inOwnTime } from '../state/sentence.ts';
import { momentOf } from '../state/wall-time.ts';
import { Changes } from '../ui/changes.tsx';
import { byText } from '../ui/fields-text.ts';
import { Foreign } from '../ui/text.tsx';
import { restoreNote } from './notes.ts';

type VersionProps = {
  entry: HistoryEntry;
  before: HistoryEntry | undefined;
  /** The newest version, where this one can be restored. */
  latest: Trace | undefined;
  /** Whether it began a history of several versions. */
  isFirst: boolean;
};

/** Of a first version; "Restore" brings the whole text back. */
const MOST_SHOWN = 1_000;
const shortText = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} […]` : text);

const Version = ({ entry, before, latest, isFirst }: VersionProps) => (
  <li>
    <h4>
      Version {entry.version} · {entry.action} by <Foreign>{byText(entry.actor)}</Foreign>
    </h4>
    <small>
      {momentOf(entry.recorded_at)} · ledger number {entry.seq}
      {asOf.value !== String(entry.seq) && (
        <>
          {' · '}
          <button type="button" class="plain" onClick={() => travel(String(entry.seq))}>
            See everything as of then
          </button>
        </>
      )}
    </small>
    {isFirst && (
      <p class="content">
        <Foreign>{shortText(entry.trace.content)}</Foreign>
      </p>
    )}
    {before && <Changes before={asDoc(before.trace)} after={asDoc(entry.trace)} />}
    {latest && (
      <div class="buttons">
        <button type="button" onClick={() => void restoreNote(latest, entry)}>
          Restore this version
        </button>
      </div>
    )}
  </li>
);

export const Versions = ({ entries, canRestore }: { entries: HistoryEntry[]; canRestore: boolean }) => (
  <>
    <h3>History</h3>
    <ol class="versions">
      {entries.map((entry, n) => (
        <Version
          key={entry.version}
          entry={entry}
          before={entries[n + 1]}
          latest={canRestore && n > 0 ? entries[0]?.trace : undefined}
          isFirst={n > 0 && entry.version === 1}
        />
      ))}
    </ol>
  </>
);

const DECISIONS = new Set(['proposed', 'approved', 'rejected', 'executed', 'edited']);

export const Transitions = ({ entries }: { entries: HistoryEntry[] }) => {
  const steps = entries.filter(({ action }) => DECISIONS.has(action)).toReversed();
  if (!steps.length) return null;
  return (
    <>
      <h3>Transitions</h3>
      <ol class="transitions">
        {steps.map(({ version, action, actor, recorded_at, trace }) => {
          const note = 'decision' in trace ? (trace as { decision?: { note?: string | null } }).decision?.note : null;
          return (
            <li key={version}>
              <strong>{action}</strong> by <Foreign>{byText(actor)}</Foreign>, {momentOf(recorded_at)}
              {note && (
                <>
                  {': '}
                  <Foreign>{inOwnTime(note)}</Foreign>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
};
