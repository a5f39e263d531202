/** Verbs: the table of what a clause can ask for, with the words that say so and what each verb takes. */
import { firstWords, phraseAt, type Token, UNITS, wordAt } from './words.ts';
import {
  ABOUT_IT,
  type Act,
  COURTEOUS,
  COURTESY,
  DOUBTFUL_VERBS,
  NOUNS,
  OBJECT_STARTS,
  POLITE,
  SIGNS,
  type Takes,
  TIME_OFF,
  VERBS,
} from './words/verb-words.ts';
export { MUST, type Act } from './words/verb-words.ts';

export type Lead = { act: Act; next: number };
type Found = { act: Act | 'polite'; next: number };
const ACTS = Object.keys(VERBS) as Act[];

export const takesOf = (act: Act): Takes => VERBS[act].takes;

/** No verb and no courtesy begins with another word. */
const OPENINGS = firstWords(POLITE, COURTESY, ...ACTS.map((act) => VERBS[act].says));
const BEHIND = firstWords(...ACTS.flatMap((act) => VERBS[act].behind ?? []));

/** The longest verb or courtesy that is at `i`. */
const longestAt = (tokens: readonly Token[], i: number): Found | null => {
  if (!OPENINGS.has(wordAt(tokens, i))) return null;
  let best: Found | null = null;
  const offer = (act: Act | 'polite', next: number | null): void => {
    if (next !== null && next > (best?.next ?? 0)) best = { act, next };
  };
  offer('polite', phraseAt(tokens, i, POLITE));
  for (const act of ACTS) offer(act, phraseAt(tokens, i, VERBS[act].says));
  const courtesy = phraseAt(tokens, i, COURTESY);
  if (courtesy)
    for (const act of ACTS) offer(act, VERBS[act].bent ? phraseAt(tokens, courtesy, VERBS[act].bent) : null);
  return best;
};

/** The index behind the courtesies at `i`. */
export const afterCourtesy = (tokens: readonly Token[], i: number): number => {
  let at = i;
  for (let n = 0; n < 4; n++) {
    const found = longestAt(tokens, at);
    if (found?.act !== 'polite') break;
    at = found.next;
  }
  return at;
};

/** The index behind a long courtesy, where a verb or 'to' follows it. */
const afterLongCourtesy = (tokens: readonly Token[], i: number): number | null => {
  let at = i;
  let signs = 0;
  while (
    at < Math.min(tokens.length, i + 24) &&
    (COURTEOUS.has(wordAt(tokens, at)) || (wordAt(tokens, at) === ',' && at > i))
  ) {
    if (SIGNS.has(wordAt(tokens, at))) signs++;
    at++;
  }
  while (at > i && ['the', 'our', 'your'].includes(wordAt(tokens, at - 1))) at--;
  const opens =
    at > i &&
    (verbAt(tokens, at) !== null ||
      ['to', 'if', 'as', 'for'].includes(wordAt(tokens, at - 1)) ||
      /^(?:could|would|might|must|may|should|like|i|we)$/.test(wordAt(tokens, at - 1)));
  return signs > 0 && at - i > 2 && opens && tokens[at]?.kind === 'word' ? at : null;
};

export const politeAt = (tokens: readonly Token[], i: number): number | null => {
  if (phraseAt(tokens, i, NOUNS)) return null;
  const long = afterLongCourtesy(tokens, i);
  if (long) return long;
  const found = longestAt(tokens, i);
  return found?.act === 'polite' ? found.next : null;
};

/** The verb at `i`, courtesies aside. */
export const verbAt = (tokens: readonly Token[], i: number): Lead | null => {
  if (phraseAt(tokens, i, NOUNS)) return null;
  const found = longestAt(tokens, i);
  return found && found.act !== 'polite' ? { act: found.act, next: found.next } : null;
};

/** The verb at `i` behind what it is about: 'the dentist [has to move] to Friday'. */
export const verbBehind = (tokens: readonly Token[], i: number): Lead | null => {
  let best: Lead | null = null;
  if (
    !BEHIND.has(wordAt(tokens, i)) ||
    (wordAt(tokens, i) === 'off' && (TIME_OFF.has(wordAt(tokens, i - 1)) || /'(?:m|re|s)$/.test(wordAt(tokens, i - 1))))
  )
    return null;
  for (const act of ACTS) {
    const { behind } = VERBS[act];
    const next = behind ? phraseAt(tokens, i, behind) : null;
    if (next !== null && next > (best?.next ?? 0)) best = { act, next };
  }
  return best;
};

/** Whether a further clause with a verb of its own begins at `i`. */
export const opensClause = (tokens: readonly Token[], i: number): boolean => {
  const at = afterCourtesy(tokens, i);
  const verb = verbAt(tokens, at);
  if (!verb || !VERBS[verb.act].opens) return false;
  const isAsked = at > i && ['please', 'so', 'you'].includes(wordAt(tokens, at - 1));
  const isDoubtful = DOUBTFUL_VERBS.has(wordAt(tokens, at)) && verb.next === at + 1;
  const isCounted = tokens[verb.next]?.kind === 'number' || UNITS.has(wordAt(tokens, verb.next));
  return isAsked || !isDoubtful || isCounted || OBJECT_STARTS.has(wordAt(tokens, verb.next));
};

/** Whether a verb about what was said before is at `i`: 'please move it'. */
export const isAboutIt = (tokens: readonly Token[], i: number): boolean =>
  phraseAt(tokens, afterCourtesy(tokens, i), ABOUT_IT) !== null;
