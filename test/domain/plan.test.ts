/** The state machine: every pair of status and move, against the contract's table. */
import { describe, expect, test } from 'vitest';
import { advance, KIND_OF_MOVE, MOVES, STATUSES, type MoveName, type Status } from '../../src/domain/plan.ts';

/** interface.txt "States and transitions" with the codes of decisions §7. */
const LEGAL: Record<MoveName, [Status, Status | 'edited']> = {
  approve: ['proposed', 'approved'],
  reject: ['proposed', 'rejected'],
  withdraw: ['proposed', 'rejected'],
  expire: ['proposed', 'rejected'],
  refuse: ['proposed', 'rejected'],
  execute: ['approved', 'executed'],
  cancel: ['approved', 'rejected'],
  fail: ['approved', 'rejected'],
  displace: ['approved', 'rejected'],
  edit: ['executed', 'edited'],
};

const pairs = STATUSES.flatMap((status) => (Object.keys(MOVES) as MoveName[]).map((move) => [status, move] as const));

describe('advance', () => {
  test.each(pairs)('%s, %s', (status, move) => {
    const [from, to] = LEGAL[move];
    const step = advance(status, move);
    expect(step.ok).toBe(status === from);
    expect(step.from).toBe(status);
    if (step.ok) expect(step.recorded).toBe(to);
  });

  test('an edit leaves an executed plan executed, and rejected is the end', () => {
    expect(advance('executed', 'edit')).toMatchObject({ ok: true, to: 'executed', recorded: 'edited' });
    for (const move of Object.keys(MOVES) as MoveName[]) expect(advance('rejected', move).ok).toBe(false);
  });

  test('every move has a message kind', () => {
    expect(Object.keys(KIND_OF_MOVE).toSorted()).toEqual(Object.keys(MOVES).toSorted());
  });
});
