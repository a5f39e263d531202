/**
 * Refuses passwords that an attacker tries first. The length rule (10 to 72 bytes) does most; this list covers long but common
 * ones.
 */

const FEWEST_SIGNS = 5;
const SHORTEST_NAME = 4;
/** The commonest passwords of ten characters and more, from lists of leaked passwords. */
const COMMON = new Set(
  `1234567890 12345678910 123456789a 1q2w3e4r5t 1qaz2wsx3edc 987654321a 0987654321 0123456789 1122334455 qwertyuiop qwerty12345
  qwerty123456 asdfghjkl123 zxcvbnm123 password12 password123 password1234 password12345 passw0rd123 p@ssw0rd123 letmein123
  iloveyou12 iloveyou123 welcome123 welcome1234 administrator changeme123 football123 baseball123 superman123 trustno1234
  abcdefghij abcd123456 abc1234567 abc123456789 a123456789 aa12345678 sunshine123 princess123 correcthorsebatterystaple`.split(
    /\s+/,
  ),
);

/** Says why this person must not use a password, or returns null. */
export const guessable = (password: string, email: string): string | null => {
  const text = password.toLowerCase();
  const name = email.split('@')[0]?.toLowerCase() ?? '';
  if (new Set(text).size < FEWEST_SIGNS) return `must have at least ${FEWEST_SIGNS} different characters`;
  if (COMMON.has(text)) return 'is one of the most common passwords; choose another';
  if (text.includes('almanac') || (name.length >= SHORTEST_NAME && text.includes(name)))
    return 'contains the name of the service or of the account; choose another';
  return null;
};
