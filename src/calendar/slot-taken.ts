/** Refusals that name events. Without calendar:read, a caller gets their uids only (docs/decisions.md, A write answers what its caller may read). */
import { quoting } from '../domain/record/quoting.ts';
import type { Instant } from '../domain/time/time.ts';
import { problem, type Problem } from '../common/problem.ts';
import type { Author } from '../ledger/ledger-writer.ts';

/** The service itself has no scopes. */
type Reader = Pick<Author, 'scopes'>;
type Named = { uid: string; title: string };
export type Taken = Named & { start: Instant; end: Instant };

/** The message names at most this many events. */
const MOST_NAMED = 3;

const mayRead = ({ scopes }: Reader): boolean => scopes === undefined || scopes.has('calendar:read');

/** How a sentence names an event. */
export const nameFor = (reader: Reader, { uid, title }: Named): string => (mayRead(reader) ? `“${title}”` : uid);

export const slotTaken = (
  reader: Reader,
  window: { start: Instant; end: Instant },
  taken: readonly Taken[],
  advice = 'Choose another time; GET /calendar/slots lists free ones.',
): Problem => {
  const names = taken.slice(0, MOST_NAMED).map((one) => nameFor(reader, one));
  const busy = taken.map(({ uid, title, start, end }) => ({ uid, ...(mayRead(reader) ? { title } : {}), start, end }));
  const sentence = [`${window.start} to ${window.end} is taken by `, `. ${advice}`];
  return problem('slot_taken', quoting(sentence, names.join(', ')), { busy });
};
