/** Explains a result of a search: which arms found it, and what changed its score. */
import type { SearchBody, SearchHit } from '../schemas.ts';
import type { Probing } from '../embeddings/query-embeddings.ts';
import type { Found } from './find.ts';
import type { Signs } from './fuse.ts';

/** What holds for all results of a search. */
export type Reasons = {
  corrected: Record<string, string> | undefined;
  probing: Probing;
  /** Why there is no semantic search; null where there is. */
  unavailable: string | null;
};

/** What else changed a score, in words. */
const reasonsOf = ({ said, ends_asking, tells_time, tells_amount }: Signs): string[] => [
  ...(said ? ['It is said by somebody whose name is in the query.'] : []),
  ...(ends_asking ? ['It ends with a question, which lowers its score.'] : []),
  ...(tells_time ? ['The query asks for a time, and it tells one.'] : []),
  ...(tells_amount ? ['The query asks for an amount, and it tells one.'] : []),
];

/** Explains one result. Words that its reader is not shown have found nothing (hidden.ts), so none of them is among these. */
export const explain = (
  mode: SearchBody['mode'],
  { arms, boost }: Pick<Found, 'arms' | 'boost'>,
  { corrected, probing: { probe, degraded, waiting }, unavailable }: Reasons,
): SearchHit['explain'] => ({
  mode,
  arms: Object.fromEntries(
    Object.entries(arms).map(([arm, { rank, score, matched, lent, task, signs }]) => [
      arm,
      {
        rank,
        score,
        ...(matched ? { matched } : {}),
        ...(lent ? { lent } : {}),
        ...(task ? { task } : {}),
        ...(signs && reasonsOf(signs).length ? { reasons: reasonsOf(signs) } : {}),
        ...(arm === 'semantic' && probe ? { embedder: probe.embedder } : {}),
      },
    ]),
  ),
  boost,
  ...(corrected ? { corrected } : {}),
  ...(mode === 'hybrid' && unavailable !== null ? { unavailable: { semantic: unavailable } } : {}),
  ...(degraded ? { degraded: { semantic: degraded } } : {}),
  ...(waiting ? { waiting } : {}),
});
