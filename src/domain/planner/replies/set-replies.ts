/** Set replies: what is said where nothing is planned, and the yes, no, thanks and other languages that lead to it. */

export const CAN_DO = 'I plan time, move and cancel events, reflect and take notes. What would you like me to plan?';
export const refused = (text: string): string =>
  `I did nothing about “${text}”: it says what not to do. To keep a time free, ask me to block it.`;
const CAN_SET =
  'I can set your hours (“nothing before nine on weekdays”), the most plans of a day or a week (“at most three a day”) and the usual length (“meetings take 25 minutes by default”).';
/** A rule for all plans that no setting says. */
export const ruled = (text: string): string =>
  `“${text}” is a rule that I can’t set as it is, so I propose nothing for it. ${CAN_SET}`;
export const isSet = (text: string): string => `“${text}”: your settings say so already.`;
export const isOutside = (text: string): string =>
  `“${text}”: your hours leave this time out already, so I propose nothing for it. Agents may still propose outside of your hours.`;
/** @param name the tag or the task; none where no hours at all are left */
export const leavesNothing = (text: string, name: string): string =>
  `“${text}” would leave ${name ? `no hours for “${name}”` : 'no hours at all'}, so I propose nothing for it. Change these hours in your tempo first.`;
export const ruleWaits = (text: string, waiting: string): string =>
  `“${waiting}” is a change of the same settings, and it waits for a decision. Decide on it, or take it back, and then repeat “${text}”.`;
export const ruleStays = (title: string): string =>
  `A change of settings has no time or length, and “${title}” is one. Take it back, and say the rule as it should be.`;
export const toldOnly = (text: string): string =>
  `“${text}” asks for nothing, as I read it. Should I plan something for it? Tell me what and when.`;
export const conditional = (text: string): string =>
  `I can’t wait for a condition (“${text}”). Tell me once you know, or what to plan in any case.`;
/** @param waiting the titles of what waits */
export const accepting = (waiting: readonly string[]): string => {
  const [title, ...others] = waiting;
  const what = title === undefined ? 'a proposal' : others.length > 0 ? 'the proposals' : `“${title}”`;
  return `I only propose: approve ${what} here or in the queue, or tell me what to change about ${others.length > 0 ? 'them' : 'it'}.`;
};
export const ONLY_ENGLISH = 'I understand only English without a language model. Please say it in English.';

/** Words that are frequent in German, French, Spanish, Italian, Portuguese and Dutch, and that English does not have. */
const FOREIGN =
  /(?:^|[^\p{L}])(?:der|das|und|mit|für|uhr|ein|eine|einen|bitte|morgen|heute|nächste|nächsten|mittwoch|montag|dienstag|donnerstag|freitag|samstag|sonntag|le|la|les|une|avec|demain|lundi|mardi|mercredi|jeudi|vendredi|réunion|rendez|à|el|los|las|para|mañana|con|reunión|lunes|martes|miércoles|jueves|viernes|por|il|domani|alle|della|lunedì|amanhã|às|reunião|het|een|met|naar|voor|vergadering|jutro|spotkanie|imorgon|möte|på|klockan)(?![\p{L}])/giu;
const ENGLISH = /\b(?:the|my|at|on|with|for|to|and|of|in|is|i|me|you|it|tomorrow|today|next|this|please)\b/gi;
const FOREIGN_SCRIPT =
  /\p{Script=Cyrillic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Arabic}|\p{Script=Greek}|\p{Script=Hebrew}|\p{Script=Devanagari}/gu;

/** Whether a text is mostly in another language. Names alone ('La Trattoria', 'Das Boot') don't make it so. */
export const isForeign = (text: string): boolean => {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const foreign = count(FOREIGN);
  return count(FOREIGN_SCRIPT) > text.length / 4 || (foreign > 0 && foreign > count(ENGLISH));
};

/** After a refusal: what was asked for does not wait. */
export const notProposed = (title: string): string =>
  `“${title}” is not proposed, so there is nothing to take back. Say another time for it, or leave it.`;
export const stillRefused = (title: string): string =>
  `“${title}” is not possible at that time, so it is not proposed. Say another time for it.`;
