/** Slots against a brute force over every minute: the best is found, nothing free is lost, nothing busy offered. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSlots, refusal } from '../../src/domain/plan/slots.ts';
import type { SlotRequest } from '../../src/domain/plan/slots.ts';
import { instantOf, millis } from '../../src/domain/time/time.ts';
import type { Interval } from '../../src/domain/time/time.ts';
import { runs } from '../support/thoroughness.ts';

const MINUTE = 60_000;

/** Every minute on its own: slow and plain. */
type Request = Omit<SlotRequest, 'busy'> & { busy: readonly Interval[] };
const bruteForce = (r: Request) => {
  const [from, to] = [millis(r.window.start), millis(r.window.end)];
  const earliest = millis(r.now) + (r.notice_minutes ?? 0) * MINUTE;
  const buffer = (r.buffer_minutes ?? 0) * MINUTE;
  const within = (set: readonly Interval[], t: number) => set.some((i) => millis(i.start) <= t && t < millis(i.end));
  const padded = r.busy
    .filter((b) => millis(b.start) < millis(b.end) || buffer > 0)
    .map((b) => ({ start: instantOf(millis(b.start) - buffer), end: instantOf(millis(b.end) + buffer) }));
  const open = (t: number) => from <= t && t < to && t >= earliest && !within(padded, t);
  const minutes = Array.from({ length: (to - from) / MINUTE }, (_, i) => from + i * MINUTE);
  const free = (hours: readonly Interval[]) => new Set(minutes.filter((t) => open(t) && within(hours, t)));
  const sets = [free(r.windows), ...(r.wider ? [free([...r.windows, ...r.wider])] : [])];
  const wishedFrom = r.preferred?.at ?? r.preferred?.start;
  const wishedTo = r.preferred?.at ? instantOf(millis(r.preferred.at) + r.duration_minutes * MINUTE) : r.preferred?.end;
  let best: { start: number; score: number[] } | null = null;
  for (const [outside, set] of sets.entries())
    for (const start of set) {
      const end = start + r.duration_minutes * MINUTE;
      let whole = true;
      for (let t = start; t < end; t += MINUTE) whole &&= set.has(t);
      if (!whole) continue;
      const early = wishedFrom ? Math.max(0, millis(wishedFrom) - start) : 0;
      const late = wishedTo ? Math.max(0, end - millis(wishedTo)) : 0;
      const distance = (early + late) / MINUTE;
      const wished = { start: wishedFrom ?? '0001-01-01T00:00:00.000Z', end: wishedTo ?? '9999-01-01T00:00:00.000Z' };
      const inGap = (t: number) => set.has(t) && (distance > 0 || within([wished], t));
      let [left, right] = [0, 0];
      while (inGap(start - (left + 1) * MINUTE)) left += 1;
      while (inGap(end + right * MINUTE)) right += 1;
      const day = Math.floor(start / 86_400_000) - Math.floor(Math.min(Math.max(from, earliest), to) / 86_400_000);
      const pieces = left + right < 15 ? 0 : left < 15 || right === 0 ? 1 : 2;
      const bonus = r.weight?.(instantOf(start)).bonus ?? 0;
      const score = [outside, distance, 0 - bonus, day, pieces, start % (15 * MINUTE) === 0 ? 0 : 1, start];
      const i = best ? score.findIndex((x, k) => x !== best?.score[k]) : -1;
      if (!best || (i >= 0 && score[i]! < best.score[i]!)) best = { start, score };
    }
  return { best, free: sets.at(-1)!, minutes };
};

describe('against brute force over every minute', () => {
  const origin = millis('2026-11-18T20:00:00.000Z');
  const interval = (longest: number) =>
    fc.tuple(fc.integer({ min: -60, max: 480 }), fc.integer({ min: 0, max: longest })).map(([start, length]) => ({
      start: instantOf(origin + start * MINUTE),
      end: instantOf(origin + (start + length) * MINUTE),
    }));
  const moment = fc.integer({ min: -30, max: 500 }).map((m) => instantOf(origin + m * MINUTE));
  const requests: fc.Arbitrary<Request> = fc.record(
    {
      window: fc
        .integer({ min: 1, max: 480 })
        .map((m) => ({ start: instantOf(origin), end: instantOf(origin + m * MINUTE) })),
      duration_minutes: fc.integer({ min: 1, max: 90 }),
      busy: fc.array(interval(60), { maxLength: 6 }),
      windows: fc.array(interval(400), { maxLength: 3 }),
      now: fc.oneof(fc.constant(instantOf(origin - 1440 * MINUTE)), moment),
      limit: fc.constantFrom(1, 4, 100),
      wider: fc.array(interval(480), { maxLength: 2 }),
      notice_minutes: fc.constantFrom(0, 7),
      buffer_minutes: fc.constantFrom(0, 5),
      preferred: fc.oneof(
        moment.map((m) => ({ at: m })),
        interval(120),
        moment.map((start) => ({ start })),
        moment.map((end) => ({ end })),
      ),
      weight: fc.integer({ min: 0, max: 23 }).map((hour) => (start: string) => ({
        bonus: Number(start.slice(11, 13)) === hour ? 1 : 0,
        reason: null,
      })),
    },
    { requiredKeys: ['window', 'duration_minutes', 'busy', 'windows', 'now', 'limit'] },
  );

  test('the best is the best, nothing free is lost, nothing busy offered', () => {
    const property = fc.property(requests, (r) => {
      const answer = findSlots(r);
      const { slots } = answer;
      const { best, free, minutes } = bruteForce(r);
      expect(slots[0]?.score ?? null).toEqual(best?.score ?? null);
      const taken = new Set<number>();
      for (const { start, end } of slots)
        for (let t = millis(start); t < millis(end); t += MINUTE) {
          if (!free.has(t) || taken.has(t)) throw new Error(`${instantOf(t)} is not free, or offered twice`);
          taken.add(t);
        }
      const refused = new Map<number, string>();
      for (const { start, end, code } of answer.refused.map(refusal))
        for (let t = millis(start); t < millis(end); t += MINUTE) {
          if (refused.has(t)) throw new Error(`${instantOf(t)} is refused twice`);
          refused.set(t, code);
        }
      for (const t of minutes) {
        const code = refused.get(t);
        if (free.has(t) !== (code === undefined || code === 'slot:too_short'))
          throw new Error(`${instantOf(t)}: ${code}`);
        if (taken.has(t) && code) throw new Error(`${instantOf(t)} is offered and refused: ${code}`);
      }
      for (const [i, slot] of slots.slice(1).entries()) {
        const before = slots[i]!.score;
        const k = slot.score.findIndex((x, j) => x !== before[j]);
        expect(slot.score[k]).toBeGreaterThan(before[k]!);
      }
    });
    expect(() => fc.assert(property, { numRuns: runs(700) })).not.toThrow();
  });
});
