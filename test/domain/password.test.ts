/** Passwords anybody would try first. */
import { expect, test } from 'vitest';
import { guessable } from '../../src/domain/access/common-passwords.ts';

test.each([
  'password123',
  'Password1234',
  'aaaaaaaaaaaa',
  '1212121212',
  'My-Almanac-2026',
  'ada.lovelace!',
  'CorrectHorseBatteryStaple',
])('%s is refused, and it is said why', (password) => {
  expect(guessable(password, 'Ada.Lovelace@example.org')).toMatch(/^(is|contains|must have) /);
});

test.each(['correct horse battery', 'пароль длинный', '🙂🙃😉😊😋 five faces', 'xkcdxkcd 9361', '          a b c d'])(
  '%s is taken: no rule asks for this or that kind of sign',
  (password) => {
    expect(guessable(password, 'ada.lovelace@example.org')).toBeNull();
  },
);

test('a short name of an account is in too many words to count', () => {
  expect(guessable('an adamant password', 'ada@example.org')).toBeNull();
});
