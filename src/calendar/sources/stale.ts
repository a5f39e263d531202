/**
 * Events of a source whose newest form cannot be read. The old form is marked when that happens first, and stops counting as busy
 * after a day: the event may be deleted or moved there. When it can be read again, the file replaces it with its mark.
 */
import type { Instant } from '../../domain/time/time.ts';
import type { EventDraft } from '../events/document.ts';
import type { EventChange } from '../events/store.ts';
import type { EventResource } from '../schemas.ts';

/** An old form counts as busy for this long. */
export const STALE_MS = 24 * 60 * 60_000;

/** The event that takes no time, with all its occurrences. */
export const freed = <E extends EventDraft>(event: E): E => ({
  ...event,
  busy: false,
  overrides: Object.fromEntries(
    Object.entries(event.overrides).map(([at, own]) => [at, { ...own, busy: false }] as const),
  ),
});

/** Marks those that have no mark. */
export const marking = (events: readonly EventResource[], stale_since: Instant): EventChange[] =>
  events.flatMap((from): EventChange[] =>
    from.removed || from.stale_since !== undefined ? [] : [{ what: 'updated', from, to: { ...from, stale_since } }],
  );

export const freeing = (events: readonly EventResource[]): EventChange[] =>
  events.map((from) => ({ what: 'updated', from, to: freed(from) }));
