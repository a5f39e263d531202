import { expect, test } from 'vitest';
import { createPlanHooks, type PlanHooks } from '../../src/agent/plan-hooks.ts';
import type { Writer } from '../../src/ledger/ledger-writer.ts';

const never = () => Promise.reject(new Error('not called here'));
const hooks = (changed: string[]): PlanHooks => ({
  proposingTraces: never,
  isSameProposal: () => false,
  waitingPlan: () => null,
  admitWaiting: never,
  editPlan: never,
  blockDisplaced: never,
  occurrencesDisplaced: never,
  eventChanged: never,
  changeTakenBack: never,
  executionChanged: async (_writer, mode) => void changed.push(mode),
});
const writer = {} as Writer;

test('a hook called before the agent feature has registered says what is missing', () => {
  expect(() => createPlanHooks().executionChanged(writer, 'manual')).toThrow(/No plan hooks are registered/);
});

test('a registered hook is called, and a second registration is refused', async () => {
  const table = createPlanHooks();
  const changed: string[] = [];
  table.register(hooks(changed));
  await table.executionChanged(writer, 'manual');
  expect(changed).toEqual(['manual']);
  expect(() => table.register(hooks([]))).toThrow(/registered already/);
});
