/**
 * Keeps a search from telling what is hidden: a trace is found by a word only where the reader is shown that word in it. What may
 * not be known is taken out before anything is counted and ranked, so that no rank, confidence or page depends on it.
 */
import { runYielding } from '../../common/yielding.ts';
import type { Db } from '../../db/database.ts';
import { showing, type Blanking } from '../../domain/record/blanking.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import { formsOf } from '../../domain/text/irregular-forms.ts';
import { lexemeOf, tagLexeme } from '../../domain/text/lexemes.ts';
import { terms } from '../../domain/text/search-words.ts';
import { documents } from './documents.ts';
import type { Asked, Hiding, Question } from './question.ts';
import type { Candidate } from './rank.ts';

/** A search looks at this many traces at once, and at this many pages of documents in all (16 MB). Hidden words find none of the others. */
const MOST = 1_000;
const PAGES = 16;

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

/** What a reader is shown of a trace; null where that is the whole. */
type Shown = Omit<TraceDoc, 'summary'> | null;

/** How often the reader is shown each lexeme of a trace. */
type Seen = Map<string, number>;

/** The traces as they are shown, by seq. Nothing is found by the summary, which would be made again. */
function* showingAll(
  traces: ReadonlyMap<number, TraceDoc | null>,
  show: Blanking,
): Generator<undefined, [number, Shown][]> {
  const all: [number, Shown][] = [];
  for (const [seq, trace] of traces) {
    if (!trace) continue;
    const shown = yield* showing(show, { ...trace, summary: null });
    all.push([seq, textsOf(shown) === textsOf(trace) ? null : shown]);
  }
  return all;
}

const seenIn = (shown: Omit<TraceDoc, 'summary'>): Seen => {
  const seen: Seen = new Map();
  const { tags, tempo_tag } = shown;
  for (const lexeme of [...terms(textsOf(shown)).map(lexemeOf), ...[...tags, tempo_tag ?? ''].map(tagLexeme)])
    seen.set(lexeme, (seen.get(lexeme) ?? 0) + 1);
  return seen;
};

/** Reads traces as they are shown to the reader, each once. A trace that is not in the answer was not read. */
export type Looking = (seqs: readonly number[]) => Promise<ReadonlyMap<number, Shown>>;

export const createLooking = (db: Db, user_id: string, show: Blanking): Looking => {
  const looked = new Map<number, Shown>();
  let pages = 0;
  return async (seqs) => {
    let rest = seqs.slice(0, MOST).filter((seq) => !looked.has(seq));
    for (; pages < PAGES && rest.length; pages++) {
      const read = await documents(db, user_id, rest);
      for (const [seq, shown] of await runYielding(showingAll(read, show))) looked.set(seq, shown);
      rest = rest.filter((seq) => !looked.has(seq));
    }
    return looked;
  };
};

/** Of the lexemes that a trace has, those that it shows. */
export const shownIn = (shown: Shown | undefined, lexemes: readonly string[]): string[] => {
  if (shown === null) return [...lexemes];
  const seen: Seen = shown ? seenIn(shown) : new Map();
  return lexemes.filter((lexeme) => seen.has(lexeme));
};

/** Whether a word is part of what is hidden, in any form. */
export const mayBeHidden = ({ isHidden }: Hiding, word: string): boolean => formsOf(word).some(isHidden);

/**
 * Which of these are hidden, so that they find no trace that does not show them. A phrase may have a hidden word. They are those of
 * the query, or of its corrections.
 */
const hiddenOf = ({ asked, hiding }: Question): boolean[] => {
  if (!hiding) return asked.map(() => false);
  const isHidden = (one: Asked): boolean =>
    ('said' in one ? [one.term] : terms(one.term)).some((word) => mayBeHidden(hiding, word));
  const hidden = asked.map(isHidden);
  const isAny = hidden.includes(true);
  return asked.map((one, ord) => (one.as === 'phrase' ? isAny : (hidden[ord] as boolean)));
};

/** A candidate with what the reader may know of. */
const known = (candidate: Candidate, asked: readonly Asked[], hidden: readonly boolean[], seen: Seen) => {
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
};

/** Takes out of the candidates what their reader may not know of. Those with the most matches are looked at first. */
export const knowable = async (
  question: Question,
  candidates: Candidate[],
  looking: Looking | undefined,
): Promise<Knowable> => {
  const { asked } = question;
  const hidden = hiddenOf(question);
  const touched = candidates.filter(({ ords }) => ords.some((ord) => hidden[ord]));
  if (!looking || !touched.length) return { candidates, hidden };
  const order = touched.toSorted((a, b) => b.ords.length - a.ords.length || b.seq - a.seq).map(({ seq }) => seq);
  const looked = await looking(order);
  const parts = new Map(
    order.flatMap((seq) => {
      const shown = looked.get(seq);
      return shown === null ? [] : [[seq, shown ? seenIn(shown) : new Map<string, number>()] as const];
    }),
  );
  const left = candidates.map((one) => {
    const seen = parts.get(one.seq);
    return seen ? known(one, asked, hidden, seen) : one;
  });
  return { candidates: left.filter(({ ords }) => ords.length), hidden };
};

/**
 * The traces whose meaning counts: those that are shown whole. A vector is that of the whole text, so it would tell what is
 * hidden, to a query without a hidden word too.
 */
export const shownWhole = async <T>(
  looking: Looking | undefined,
  traces: readonly T[],
  seqOf: (trace: T) => number,
): Promise<readonly T[]> => {
  if (!looking) return traces;
  const looked = await looking(traces.map(seqOf));
  return traces.filter((one) => looked.get(seqOf(one)) === null);
};
