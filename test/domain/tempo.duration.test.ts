/** Tempo: how long something takes, and which rule says so. */
import { describe, expect, test } from 'vitest';
import { defaultTempo } from '../../src/domain/plan/plan-settings.ts';
import { durationFor } from '../../src/domain/plan/tempo.ts';
import type { TempoPreferences } from '../../src/domain/plan/tempo.ts';

const profile = (changes: Partial<TempoPreferences> = {}) => ({ ...defaultTempo(), ...changes, timezone: 'UTC' });

describe('how long', () => {
  const mine = profile({
    tag_mappings: { '@deep_work': { duration_minutes: 60 }, '@late': { ranges: ['day'] } },
    duration_biases: {
      schedule: { minutes: 45 },
      reflect: { factor: 2 },
      '@shallow': { factor: 1.5 },
      '@meeting': { minutes: 50, factor: 0.5 },
    },
    task_overrides: { thesis: { duration_minutes: 120 }, paper: { tempo_tag: 'block_90' } },
  });
  test.each<[string, Parameters<typeof durationFor>[0], Parameters<typeof durationFor>[1], number, string]>([
    ['30 by default', profile(), { action_type: 'log' }, 30, 'default'],
    ['an event by its bias', profile(), { action_type: 'schedule' }, 30, 'action_bias'],
    ['an event by the own bias', mine, { action_type: 'schedule' }, 45, 'action_bias'],
    ['built in', profile(), { action_type: 'schedule', tempo_tag: '@deep_work' }, 90, 'built_in'],
    ['block_25', mine, { action_type: 'schedule', tempo_tag: 'block_25' }, 25, 'built_in'],
    ['the own mapping before', mine, { action_type: 'schedule', tempo_tag: '@deep_work' }, 60, 'tag'],
    ['a tag without length', mine, { action_type: 'schedule', tempo_tag: '@late' }, 45, 'action_bias'],
    [
      'the task before its tag',
      mine,
      { action_type: 'schedule', tempo_tag: '@deep_work', task_id: 'thesis' },
      120,
      'task',
    ],
    ['the task’s tag', mine, { action_type: 'schedule', task_id: 'paper' }, 90, 'built_in'],
    [
      'what was asked for before all',
      mine,
      { action_type: 'reflect', tempo_tag: '@shallow', task_id: 'thesis', asked: 7 },
      7,
      'asked',
    ],
    ['stretched by the tag', mine, { action_type: 'schedule', tempo_tag: '@shallow' }, 45, 'built_in'],
    ['stretched by the action', mine, { action_type: 'reflect' }, 60, 'default'],
    ['the tag’s bias before built in', mine, { action_type: 'schedule', tempo_tag: '@meeting' }, 25, 'tag_bias'],
    ['a tag every object has', profile(), { action_type: 'toString', tempo_tag: '__proto__' }, 30, 'default'],
    ['a null length is none', profile(), { action_type: 'log', asked: null, tempo_tag: null }, 30, 'default'],
  ])('%s', (_, of, subject, minutes, rule) => {
    expect(durationFor(of, subject)).toMatchObject({ minutes, rule });
  });

  test('says why', () => {
    expect(durationFor(mine, { action_type: 'schedule', tempo_tag: '@shallow' }).reason).toBe(
      'it takes 30 minutes, as usual for @shallow, multiplied by 1.5',
    );
  });
});
