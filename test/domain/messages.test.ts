/** Entries as CloudEvents, and the wake-ups instances send each other. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageOf, scopeOfKind, type MessageSource } from '../../src/domain/record/messages.ts';
import { packWakeUps } from '../../src/live/hub.ts';
import { runs } from '../support/thoroughness.ts';

const entry = (more: Partial<MessageSource> = {}): MessageSource => ({
  seq: 7,
  position: '7.9f86d081884c',
  kind: 'trace.created',
  subject: 'trace',
  subject_uid: 't 1',
  recorded_at: '2026-11-21T09:00:00.000123Z',
  payload: { uid: 't 1', content: 'x' },
  ...more,
});

describe('messageOf', () => {
  test('an entry becomes a CloudEvent with its seq as sequence', () => {
    expect(messageOf('u/1', entry())).toEqual({
      specversion: '1.0',
      id: 'u/1:7.9f86d081884c',
      source: '/ledger/u%2F1',
      type: 'trace.created',
      subject: 't 1',
      time: '2026-11-21T09:00:00.000123Z',
      sequence: 7,
      position: '7.9f86d081884c',
      data: { uid: 't 1', content: 'x' },
    });
  });

  test.each(['profile.updated', 'key.created', 'key.revoked', 'checkpoint.created', 'unheard.of'])(
    '%s is not sent',
    (kind) => {
      expect(messageOf('u', entry({ kind }))).toBeNull();
    },
  );

  test('an erased payload is not sent', () => {
    expect(messageOf('u', entry({ payload: null }))).toBeNull();
  });
});

test.each([
  ['plan.proposed', 'plan:read'],
  ['plan.edited', 'plan:read'],
  ['plan.displaced', 'plan:read'],
  ['queue.changed', 'plan:read'],
  ['trace.removed', 'memory:read'],
  ['event.updated', 'calendar:read'],
  ['key.revoked', null],
])('%s is shown to %s', (kind, scope) => {
  expect(scopeOfKind(kind)).toBe(scope);
});

describe('packWakeUps', () => {
  test('nothing to tell is no message', () => {
    expect(packWakeUps('me', [])).toEqual([]);
  });

  test('every head is told once, in messages that Postgres takes', () => {
    const heads = fc.uniqueArray(fc.tuple(fc.uuid(), fc.nat()), { maxLength: 600, selector: ([user]) => user });
    fc.assert(
      fc.property(heads, (list) => {
        const messages = packWakeUps('instance', list);
        expect(messages.every((m) => m.startsWith('instance ') && Buffer.byteLength(m) < 8000)).toBe(true);
        const told = messages.flatMap((m) => m.slice('instance '.length).split(','));
        expect(told).toEqual(list.map(([user, seq]) => `${user}=${seq}`));
      }),
      { numRuns: runs(50) },
    );
  });
});
