/** Keys and scopes: their shape, and what an agent can never hold. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyId, makeKey } from '../../src/domain/access/api-key-format.ts';
import { ALL_SCOPES, defaultScopes, possibleScopes } from '../../src/domain/access/caller.ts';

const [bytes] = fc.sample(fc.infiniteStream(fc.nat(255)), { numRuns: 1, seed: 1 });
const random = () => bytes!.next().value as number;

describe('API keys', () => {
  test('carry their id, and one wrong character anywhere is noticed', () => {
    const { id, key } = makeKey('agent', random);
    expect(key).toMatch(/^alm_agent_[0-9a-z]{16}_[0-9a-z]{46}$/);
    expect(keyId(key)).toBe(id);
    for (let i = 10; i < key.length; i++) {
      if (key[i] === '_') continue;
      const wrong = key.slice(0, i) + (key[i] === 'a' ? 'b' : 'a') + key.slice(i + 1);
      expect(keyId(wrong)).toBeNull();
    }
  });

  test('hold at least 160 random bits', () => {
    expect(40 * Math.log2(36)).toBeGreaterThan(160);
    expect(new Set(Array.from({ length: 100 }, () => makeKey('user', random).key)).size).toBe(100);
  });

  test('an operator’s own key is found by its digest, a short one never', () => {
    expect(keyId('my own key that is long enough to be safe')).toMatch(/^own[0-9a-f]{24}$/);
    expect(keyId('too short')).toBeNull();
  });
});

describe('scopes', () => {
  test('an agent can never hold what is a person’s', () => {
    const possible = possibleScopes('agent', true);
    for (const scope of [
      'plan:decide',
      'calendar:write',
      'keys:manage',
      'user:write',
      'export:sensitive',
      'admin',
    ] as const)
      expect(possible).not.toContain(scope);
    expect(defaultScopes('agent', true).every((s) => possible.includes(s))).toBe(true);
  });

  test('a person can hold everything but admin, which is an administrator’s', () => {
    expect(possibleScopes('user', false)).toEqual(ALL_SCOPES.filter((s) => s !== 'admin'));
    expect(possibleScopes('user', true)).toEqual(ALL_SCOPES);
    expect(possibleScopes('feed', true)).toEqual(['calendar:read', 'plan:read', 'plan:decide']);
  });
});
