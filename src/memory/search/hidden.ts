/**
 * Keeps a search from telling what is hidden: a trace is found by a word only where the reader is shown that word in it. What may
 * not be known is taken out before anything is counted and ranked, so that no rank, confidence or page depends on it.
 */
import { mapYielding } from '../../common/yielding.ts';
import type { Db } from '../../db/database.ts';
import type { Blanking } from '../../domain/record/blanking.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import { formsOf } from '../../domain/text/irregular-forms.ts';
import { lexemeOf, tagLexeme } from '../../domain/text/lexemes.ts';
import { terms } from '../../domain/text/search-words.ts';
import { documents } from './documents.ts';
import type { Asked, Hiding, Question } from './question.ts';
import type { Candidate } from './rank.ts';

/**
 * Of what words find, and of what meaning finds, at most this many traces are looked at, in this many pages of documents (8 MB).
 * Hidden words find none of the others.
 */
const MOST = 1_000;
const PAGES = 8;

const textsOf = ({
  title,
  task_id,
  content,
  notes,
  tags,
  tempo_tag,
  metadata,
}: Omit<TraceDoc, 'summary'> & { title?: string }): string =>
  [title, task_id, content, notes, tempo_tag, ...tags, metadata['speaker']]
    .filter((text) => typeof text === 'string')
    .join('\n');

/** How often the reader is shown each lexeme of a trace; null where the trace is shown whole. */
type Seen = Map<string, number> | null;
const NOTHING: Seen = new Map();

const seenIn = (trace: TraceDoc, show: Blanking): Seen => {
  // No word is found by the summary, which would be made again.
  const shown = show({ ...trace, summary: null });
  const text = textsOf(shown);
  if (text === textsOf(trace)) return null;
  const seen = new Map<string, number>();
  for (const lexeme of [...terms(text).map(lexemeOf), ...[...shown.tags, shown.tempo_tag ?? ''].map(tagLexeme)])
    seen.set(lexeme, (seen.get(lexeme) ?? 0) + 1);
  return seen;
};

/** What the reader is shown of the traces, the first ones if they are too many. */
const look = async (db: Db, user_id: string, seqs: readonly number[], show: Blanking): Promise<Map<number, Seen>> => {
  const seen = new Map<number, Seen>();
  let rest = seqs.slice(0, MOST);
  for (let page = 0; page < PAGES && rest.length; page++) {
    const read = await documents(db, user_id, rest);
    await mapYielding(rest, (seq) => {
      const trace = read.get(seq);
      if (trace) seen.set(seq, seenIn(trace, show));
    });
    rest = rest.filter((seq) => !seen.has(seq));
  }
  return seen;
};

/** Whether words of the query are hidden from the reader, in any form. */
export const asksHidden = (texts: readonly string[], { isHidden }: Hiding): boolean =>
  texts.some((text) => terms(text).flatMap(formsOf).some(isHidden));

/** Which of these are hidden, so that they find no trace that does not show them. A phrase may have a hidden word. */
const hiddenOf = ({ asked, hiding }: Question): boolean[] =>
  asked.map((one: Asked) => {
    if (!hiding) return false;
    if (one.as === 'phrase') return true;
    return 'said' in one ? formsOf(one.term).some(hiding.isHidden) : asksHidden([one.term], hiding);
  });

/** A candidate with what the reader may know of. */
const known = (
  candidate: Candidate,
  asked: readonly Asked[],
  hidden: readonly boolean[],
  seen: Map<string, number>,
) => {
  const kept: Pick<Candidate, 'ords' | 'said' | 'tf'> = { ords: [], said: [], tf: [] };
  for (const [i, ord] of candidate.ords.entries()) {
    const one = asked[ord] as Asked;
    const lexemes = 'lexemes' in one ? one.lexemes : [];
    const times = lexemes.reduce((sum, lexeme) => sum + (seen.get(lexeme) ?? 0), 0);
    if (hidden[ord] && !times) continue;
    kept.ords.push(ord);
    kept.said.push(!hidden[ord] && candidate.said[i] === true);
    kept.tf.push(hidden[ord] ? Math.min(times, candidate.tf[i] as number) : (candidate.tf[i] as number));
  }
  return { ...candidate, ...kept };
};

type Knowable = {
  candidates: Candidate[];
  /** Which of what is asked for is hidden. Estimates of how many traces have it count those that hide it. */
  hidden: readonly boolean[];
  /** The traces that are not shown whole. Their meaning is that of the whole text, so it would tell. */
  parts: ReadonlySet<number>;
};

/** Takes out of the candidates what their reader may not know of. Those with the most matches are looked at first. */
export const knowable = async (db: Db, question: Question, candidates: Candidate[]): Promise<Knowable> => {
  const { asked, user_id, hiding } = question;
  const hidden = hiddenOf(question);
  const touched = candidates.filter(({ ords }) => ords.some((ord) => hidden[ord]));
  if (!hiding || !touched.length) return { candidates, hidden, parts: new Set() };
  const order = touched.toSorted((a, b) => b.ords.length - a.ords.length || b.seq - a.seq).map(({ seq }) => seq);
  const seen = await look(db, user_id, order, hiding.show);
  const parts = new Map(
    order.flatMap((seq) => {
      const shown = seen.has(seq) ? (seen.get(seq) as Seen) : NOTHING;
      return shown ? [[seq, shown] as const] : [];
    }),
  );
  const left = candidates.map((one) => {
    const shown = parts.get(one.seq);
    return shown ? known(one, asked, hidden, shown) : one;
  });
  return { candidates: left.filter(({ ords }) => ords.length), hidden, parts: new Set(parts.keys()) };
};

/** Those that their meaning may find: the traces that are shown whole. */
export const shownWhole = async <T extends { seq: number }>(
  db: Db,
  { user_id, hiding }: Question,
  near: T[],
): Promise<T[]> => {
  if (!hiding) return near;
  const seen = await look(
    db,
    user_id,
    near.map(({ seq }) => seq),
    hiding.show,
  );
  return near.filter(({ seq }) => seen.get(seq) === null);
};
