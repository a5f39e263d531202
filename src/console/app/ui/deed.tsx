/** What an entry of the ledger records, as a sentence: who did what with which thing. */
import type { LedgerEntry } from '../../../client/almanac-client.ts';
import { isOfService, nameOf } from '../state/past.ts';
import { inOwnTime } from '../state/sentence.ts';
import { actorText } from './fields-text.ts';
import { Foreign } from './text.tsx';
import { cut, deedText } from './words.ts';

/** The records that the service writes into memory say themselves what happened. */
export const isRecord = ({ kind, payload }: LedgerEntry): boolean =>
  kind === 'trace.created' &&
  typeof payload?.['type'] === 'string' &&
  isOfService({ ...payload, type: payload['type'] });

const thingText = ({ payload, subject_uid }: LedgerEntry): string =>
  cut(inOwnTime(nameOf(payload ?? {}) || (subject_uid ?? '')), 200);

/** The records name no person. The one who reads them is meant. */
const recordText = (entry: LedgerEntry): string => thingText(entry).replace(/^The person /, 'You ');

export const Deed = ({ entry, deed = deedText(entry) }: { entry: LedgerEntry; deed?: string }) => {
  if (isRecord(entry)) return <Foreign>{recordText(entry)}</Foreign>;
  const [before = '', after = ''] = deed.split('…');
  return (
    <>
      {before && (
        <>
          <Foreign>{actorText(entry.by)}</Foreign> {before}
        </>
      )}
      “<Foreign>{thingText(entry)}</Foreign>”{after}
    </>
  );
};
