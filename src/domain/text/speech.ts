/** Finds who says a text, whether it asks, and whether it can answer "when" and "how many". Signs of the latter are English. */

/** A name of up to four words before a colon: `Maria: `, `Dr. Jane O’Neil: `. Each word begins with a capital, or has no case. */
const SPEAKER = /^((?:[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}\p{N}.'’-]{0,40}(?: (?=\S)|(?=:))){1,4}):\s/u;
const QUESTION_MARK = /[?？؟]/;
const ENDS_ASKING = /[?？؟]["'”’)]*\s*$/;

const WEEKDAY = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday';
const MONTH = 'january|february|april|june|july|august|september|october|november|december';
const COUNT = '\\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|couple(?: of)?|several';
const TIME = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|last (?:night|week|weekend|month|year|spring|summer|fall|autumn|winter)|` +
    `this (?:morning|week|weekend|month|year|spring|summer|fall|autumn|winter)|next (?:week|weekend|month|year)|` +
    `(?:${COUNT}) (?:day|week|weekend|month|year)s?|(?:in|last|this|next) (?:may|march)|${MONTH}|${WEEKDAY}|` +
    `(?:19|20)\\d\\d|the other day|a while ago|recently|just|since)\\b`,
  'i',
);
const AMOUNT =
  /\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|once|twice|first|second|third|couple|few|several|both|dozen|hundred)\b/i;

export type Speech = {
  /** The name at the beginning of the text. */
  speaker: string | undefined;
  /** The text contains a question. */
  asks: boolean;
  /** The text ends with a question, so it hardly answers one. */
  endsAsking: boolean;
  tellsTime: boolean;
  tellsAmount: boolean;
};

export const speakerOf = (text: string): string | undefined => SPEAKER.exec(text)?.[1];

/** The text without the name of its speaker. */
export const withoutSpeaker = (text: string): string => text.replace(SPEAKER, '');

/** The text without a remark in brackets at its end, such as the caption of a picture, which is not what somebody says. */
const withoutRemark = (text: string): string => {
  const last = text.trimEnd().length - 1;
  const from = text[last] === ']' ? text.indexOf('[', text.lastIndexOf(']', last - 1) + 1) : -1;
  return from < 0 ? text : text.slice(0, from);
};

export const speechOf = (text: string): Speech => {
  const speaker = speakerOf(text);
  const said = withoutRemark(text.slice(speaker === undefined ? 0 : speaker.length + 1));
  const tellsTime = TIME.test(said);
  return {
    speaker,
    asks: QUESTION_MARK.test(said),
    endsAsking: ENDS_ASKING.test(said),
    tellsTime,
    tellsAmount: tellsTime || AMOUNT.test(said),
  };
};

const ASKS_TIME =
  /^\s*(?:when\b|what (?:day|date|month|year|time)\b|(?:on|in) (?:what|which) (?:day|date|month|year)\b)/i;
const ASKS_AMOUNT = /\bhow (?:many|much|often|long|old|far)\b/i;

/** What kind of answer a query asks for. */
export const answerAsked = (query: string): { time: boolean; amount: boolean } => ({
  time: ASKS_TIME.test(query),
  amount: ASKS_AMOUNT.test(query),
});
