import type { Trial } from './trial.ts';
export const R10: Trial = { id: 'R10', title: '', places: [], embedded: false, run: async () => ({ checks: [], facts: [] }) };
