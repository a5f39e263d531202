/** Keeps a search from telling what is hidden: a trace is found by a word only where the reader is shown that word in it. */
import { lexemeOf, tagLexeme } from '../../domain/text/lexemes.ts';
import { terms } from '../../domain/text/search-words.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import type { Found } from './find.ts';

type Hit = Pick<Found, 'arms'> & { trace: TraceDoc };

const textsOf = ({
  title,
  task_id,
  content,
  notes,
  tags,
  tempo_tag,
  metadata,
}: TraceDoc & { title?: string }): string =>
  [title, task_id, content, notes, tempo_tag, ...tags, metadata['speaker']]
    .filter((text) => typeof text === 'string')
    .join('\n');

/**
 * Whether a reader who is shown `shown` of a trace may know that the query found it: a word or tag that matched is shown in it, a word
 * that a neighbour lent it is not hidden, or its meaning matched and it is shown whole. The meaning of another trace is that of the
 * whole text, so it would tell.
 */
export const showsMatch = ({ arms, trace }: Hit, shown: TraceDoc, isHidden: (word: string) => boolean): boolean => {
  const text = textsOf(shown);
  const visible = new Set([...terms(text).map(lexemeOf), ...[...shown.tags, shown.tempo_tag ?? ''].map(tagLexeme)]);
  const found = Object.values(arms);
  const matched = found.flatMap((arm) => arm.matched ?? []);
  if (matched.some((word) => visible.has(word) || visible.has(lexemeOf(word)))) return true;
  if (found.some(({ lent }) => lent?.some((word) => !isHidden(word)))) return true;
  return arms.semantic !== undefined && text === textsOf(trace);
};
