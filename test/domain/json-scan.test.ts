/** What is read of a JSON text before it is parsed, compared with what JSON.parse finds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refuseRepeatedMembers, scanJson } from '../../src/http/body/json-scan.ts';
import { runs } from '../support/thoroughness.ts';

const membersIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : (Array.isArray(value) ? 0 : Object.keys(value).length) +
      Object.values(value).reduce((sum: number, inner) => sum + membersIn(inner), 0);

/** Strings of the characters that are escaped, or that look like the structure of JSON. */
const Text = fc.string({
  unit: fc.constantFrom('"', '\\', '\n', ':', ',', '{', '[', '}', 'a', 'é', '1'),
  maxLength: 30,
});
const Value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    Text,
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(Text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('scanJson', () => {
  test('counts the members of a text, whatever its strings hold', () => {
    fc.assert(
      fc.property(Value, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = Buffer.from(JSON.stringify(value, null, indent));
        const members = scanJson(text);
        expect(members).toBe(membersIn(value));
        refuseRepeatedMembers(text, members, JSON.parse(text.toString()));
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('finds a member that occurs twice behind strings with quotes', () => {
    fc.assert(
      fc.property(Text, Text, (name, text) => {
        const [key, inner] = [JSON.stringify(name), JSON.stringify(text)];
        const bytes = Buffer.from(`{"before":${inner},"inside":{${key}:1,"x${inner.slice(1)}:${inner},${key}:2}}`);
        const members = scanJson(bytes);
        const value: unknown = JSON.parse(bytes.toString());
        expect(() => refuseRepeatedMembers(bytes, members, value)).toThrow(/must be sent only once/);
      }),
    );
  });

  test('reads a string that nothing ends', () => {
    for (const text of ['"', '"\\', '"\\"', '{"a":"\\\\\\"', '["\\u12'])
      expect(scanJson(Buffer.from(text))).toBeLessThan(2);
  });
});
