/** What is kept or said without a time: notes, reflections, settings. */
import type { Act } from './actions.ts';
import type { Clause } from './clauses.ts';

const NOT_KEPT = new Set(['note', 'reflect', 'aside', 'polite', 'void', 'join']);

/** The fact, as it is written. */
const kept = ({ pieces }: Clause): string =>
  pieces
    .filter(({ role }) => !NOT_KEPT.has(role))
    .map(({ text }) => text)
    .join('')
    .replace(/^[\s:,.–-]+/, '')
    .trim();

export const note = (clause: Clause): Act => ({ do: 'note', text: kept(clause) });
export const reflect = (clause: Clause): Act => ({ do: 'reflect', text: kept(clause) || clause.text('reflect') });
export const setting = (clause: Clause): Act => ({ do: 'setting', text: clause.text('setting') });
/** A question is answered from the calendar by another part; here it is only that it was asked. */
export const answer = ({ pieces }: Clause): Act => ({
  do: 'answer',
  text: pieces
    .map(({ text }) => text)
    .join('')
    .trim(),
});
