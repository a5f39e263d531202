/** The state machine: every move x state x credential against the contract's table, and what a move may change. */
import { describe, expect, test } from 'vitest';
import { hasSeen, missingIn, revisionOf, stepOf, type MoveActor } from '../../src/domain/plan/plan-transitions.ts';
import { KIND_OF_MOVE, MOVES, recordedAs, STATUSES, type MoveName, type Status } from '../../src/domain/plan/plan.ts';
import { newTrace, type PlanDoc } from '../../src/domain/record/trace.ts';

/** What may follow what, written down apart from the code (docs/decisions.md, Four states, one table of moves). */
const LEGAL: Record<MoveName, [Status[], Status | 'edited' | 'same']> = {
  approve: [['proposed'], 'approved'],
  reject: [['proposed'], 'rejected'],
  withdraw: [['proposed'], 'rejected'],
  expire: [['proposed'], 'rejected'],
  refuse: [['proposed'], 'rejected'],
  execute: [['approved'], 'executed'],
  cancel: [['approved'], 'rejected'],
  fail: [['approved'], 'rejected'],
  displace: [['approved'], 'rejected'],
  reopen: [['approved', 'rejected', 'executed'], 'proposed'],
  propose_again: [['rejected'], 'same'],
  revise: [['proposed'], 'same'],
  amend: [['approved'], 'same'],
  label: [['approved'], 'same'],
  retry: [['approved'], 'same'],
  edit: [['executed'], 'edited'],
  annul: [['executed'], 'edited'],
  follow: [['executed'], 'edited'],
  lose_time: [['executed'], 'edited'],
  regain: [['executed'], 'edited'],
  annotate: [['proposed', 'approved', 'rejected', 'executed'], 'same'],
};

/** Of the moves that credentials ask for: whose credential may. The others are the service's own. */
const OWN: MoveName[] = ['withdraw', 'revise'];
const PERSONS: MoveName[] = [
  'approve',
  'reject',
  'cancel',
  'reopen',
  'propose_again',
  'amend',
  'label',
  'edit',
  'annul',
];

const PERSON: MoveActor = { actor: 'user:1', decides: true };
const PROPOSER: MoveActor = { actor: 'agent:1', decides: false };
const OTHER: MoveActor = { actor: 'agent:2', decides: false };

const aPlan = (more: Partial<PlanDoc> = {}): PlanDoc =>
  ({
    ...newTrace({
      uid: 'p',
      user_id: 'u',
      type: 'agent_plan',
      content: 'Call the supplier',
      timestamp: '2026-11-21T09:00:00.000Z',
      origin: 'agent',
    }),
    title: 'Call the supplier',
    action_type: 'schedule',
    status: 'proposed',
    scheduled_for: '2026-11-27T14:30:00.000Z',
    duration_minutes: 20,
    target_event_uid: null,
    arguments: {},
    proposed_by: PROPOSER.actor,
    version: 3,
    revision: 2,
    ...more,
  }) as PlanDoc;

const moves = Object.keys(MOVES) as MoveName[];
const triples = moves.flatMap((move) =>
  STATUSES.flatMap((status) => [PERSON, PROPOSER, OTHER].map((by) => [move, status, by] as const)),
);

describe('every move', () => {
  test.each(triples)('%s of a plan that is %s, by %o', (move, status, by) => {
    const [from, to] = LEGAL[move];
    const isAllowed = by.decides || (by === PROPOSER && OWN.includes(move)) || ![...OWN, ...PERSONS].includes(move);
    const plan = aPlan({ status });
    const step = stepOf(plan, move, {}, by);
    if (!isAllowed) expect(step).toEqual({ refused: { why: 'mover' } });
    else if (!from.includes(status)) expect(step).toMatchObject({ refused: { why: 'status' } });
    else {
      const revision = move === 'reopen' ? 4 : 2;
      expect(step).toMatchObject({ to: { status: to === 'same' || to === 'edited' ? status : to, revision } });
      expect(recordedAs(status, move)).toBe(to === 'same' ? status : to);
    }
  });

  test('of an imported plan leaves its status and what it says', () => {
    for (const move of moves) {
      const status = LEGAL[move][0][0] as Status;
      const record = aPlan({ status, origin: 'import' });
      const step = stepOf(record, move, {}, PERSON);
      const stays = MOVES[move].to === 'same';
      expect(step).toMatchObject(stays ? { to: { status } } : { refused: { why: 'record' } });
      if (stays) expect(stepOf(record, move, { title: 'x' }, PERSON)).toEqual({ refused: { why: 'record' } });
    }
  });

  test('changes what is decided on only where the table says so', () => {
    for (const move of moves) {
      const status = LEGAL[move][0][0] as Status;
      const step = () => stepOf(aPlan({ status }), move, { scheduled_for: '2026-11-28T14:30:00.000Z' }, PERSON);
      if ('rewrites' in MOVES[move]) expect(step()).toMatchObject({ to: { revision: 4 } });
      else expect(step).toThrow('may not change');
    }
  });

  test('has a message kind', () => {
    expect(Object.keys(KIND_OF_MOVE).toSorted()).toEqual(moves.toSorted());
  });
});

test('a decision is bound to the revision: feedback and tags don’t count', () => {
  const rated = stepOf(aPlan(), 'annotate', { feedback_rating: 5, notes: 'good' }, OTHER);
  expect(rated).toMatchObject({ to: { revision: 2 } });
  expect(stepOf(aPlan(), 'revise', { tags: ['x'] }, PROPOSER)).toMatchObject({ to: { revision: 2 } });
  expect(stepOf(aPlan(), 'revise', { arguments: { note: 1 } }, PROPOSER)).toMatchObject({ to: { revision: 4 } });
  expect([1, 2, 3, 4, Number.NaN].map((version) => hasSeen(aPlan(), version))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
  // As release 0.1 wrote it.
  const { revision: _, ...old } = aPlan();
  expect(revisionOf(old)).toBe(3);
  expect(revisionOf({ ...old, version: 1 })).toBe(1);
});

describe('what can be carried out', () => {
  const fields = (more: Partial<PlanDoc>) => missingIn(aPlan(more)).map(({ field }) => field);
  test.each<[string, Partial<PlanDoc>, string[]]>([
    ['an event', {}, []],
    ['an event without a time', { scheduled_for: null }, ['scheduled_for']],
    ['an event without a length', { duration_minutes: null }, ['duration_minutes']],
    ['a day', { arguments: { all_day: true }, duration_minutes: null }, []],
    ['a day without a date', { arguments: { all_day: true }, scheduled_for: null }, ['scheduled_for']],
    ['an event that says it cancels', { arguments: { cancel: true }, scheduled_for: null }, ['scheduled_for']],
    ['a move', { action_type: 'reschedule', target_event_uid: 'e', duration_minutes: null }, []],
    ['a move of nothing', { action_type: 'reschedule' }, ['target_event_uid']],
    ['a move to no time', { action_type: 'reschedule', target_event_uid: 'e', scheduled_for: null }, ['scheduled_for']],
    [
      'a cancellation',
      { action_type: 'reschedule', target_event_uid: 'e', scheduled_for: null, arguments: { cancel: true } },
      [],
    ],
    ['a note', { action_type: 'log', scheduled_for: null, duration_minutes: null }, []],
  ])('%s', (_name, more, missing) => {
    expect(fields(more)).toEqual(missing);
  });
});
