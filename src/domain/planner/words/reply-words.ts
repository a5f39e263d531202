/** Phrases by which a person agrees to what waits. Words in brackets are a choice of one; an empty one may be left out. */
const phrasesOf = (text: string): ReadonlySet<string> => new Set(text.split('|').flatMap((phrase) => spelt(phrase)));

/** 'do (it/that)' is 'do it' and 'do that'. */
const spelt = (phrase: string): string[] => {
  const [choice, inner = ''] = /\(([^()]*)\)/.exec(phrase) ?? [];
  if (choice === undefined) return [phrase.replaceAll(/\s+/g, ' ').trim()];
  return inner.split('/').flatMap((one) => spelt(phrase.replace(choice, one)));
};

/** Who agrees to what waits says one of these, */
export const AGREEING = phrasesOf(
  "yes|yep|yeah|yup|ok|okay|sure|fine|right|all right|alright|perfect|great|exactly|absolutely|definitely|agreed|approve|approved|accept|accepted|confirm|confirmed|go ahead|go for it|do (it/that)|(sounds/looks) (good/great/fine/perfect/right)|(that/it/) works (for me/)|i (want/would like) (it/that)|i'd like (it/that)|(that is/that's/that would be) (fine/good/great/perfect/right/ok/okay)|(approve/accept/confirm/book/schedule/add/enter/save/plan/put) (it/that/this/them/these/those/both/all/everything/the proposal/the proposals)",
);
/** and around it nothing but these. */
export const BESIDE_AGREEING = phrasesOf(
  'please|thanks|thank you|now|then|and|so|good|cool|nice|lovely|wonderful|excellent|super|all|both|in|down|(to/in/into/on/onto) (my/the) (calendar/diary/agenda/schedule)',
);
