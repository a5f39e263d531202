/** Keeps a search from telling what is hidden: a trace is found by a word only where the reader is shown that word in it. */
import { lexemeOf, tagLexeme } from '../domain/text/lexemes.ts';
import { terms } from '../domain/text/search-words.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import type { Found } from './search-find.ts';

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
 * Whether a reader who is shown `shown` of a trace may know that the query found it. Of a trace that is shown whole that is so;
 * of another one only where a word or tag that matched is shown. What is found by its meaning alone is compared with the whole
 * text, so it would tell.
 */
export const showsMatch = ({ arms, trace }: Hit, shown: TraceDoc): boolean => {
  const text = textsOf(shown);
  if (text === textsOf(trace)) return true;
  const visible = new Set([...terms(text).map(lexemeOf), ...[...shown.tags, shown.tempo_tag ?? ''].map(tagLexeme)]);
  const matched = Object.values(arms).flatMap((arm) => arm.matched ?? []);
  return matched.some((word) => visible.has(word) || visible.has(lexemeOf(word)));
};
