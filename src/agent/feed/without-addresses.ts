/** Takes from a text what a calendar program could show as a link, so that an agent's text can be above the links of the service. */

/**
 * What makes a word an address for programs that look for them: a scheme, a host name, an IPv4 address; and, for those that read
 * HTML, a tag or a character reference, which could spell one.
 */
const SIGNS = [
  /:\/\//,
  /\bwww\./i,
  /\p{L}:[\p{L}\p{N}/\\+]/u,
  /[\p{L}\p{N}]\.\p{L}{2}/u,
  /\d\.\d{1,3}\.\d{1,3}\.\d/,
  /<[\p{L}/!]/u,
  /&#?\p{L}*\d*;/u,
];
/** Characters that nobody sees, such as a soft hyphen, which could hide an address from the signs. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const REPLACED = '(an address, see below)';

/** The text in one line, so that it cannot have lines that look like those of the service, with other words for addresses. */
export const withoutAddresses = (text: string): string =>
  text
    .split(/[\s\p{Cc}]+/u)
    .map((word) => (SIGNS.some((sign) => sign.test(word.replaceAll(UNSEEN, ''))) ? REPLACED : word))
    .join(' ')
    .trim();
