/** A proposal that the limits or the calendar refused, and the reason in words. */
import type { PlanDoc } from '../record/trace.ts';

type Refusable = Pick<PlanDoc, 'status' | 'decision' | 'scheduled_for'>;

export const isRefused = ({ status, decision }: Refusable): boolean =>
  status === 'rejected' && /^(?:slot|limit):/.test(decision?.code ?? '');

/** Why a time that was named is not possible, by the code. The detail of a fault has it in the form of the API. */
export const OF_A_TIME: Readonly<Record<string, string>> = {
  'slot:blocked': 'that time is taken',
  'slot:past': 'that time is over',
  'slot:outside_tempo': 'that time is outside the tempo hours, and only those are allowed',
};

/** Why a plan was rejected, without a full stop; '' where nobody said why. */
export const rejectionText = ({ decision, scheduled_for }: Refusable): string =>
  (scheduled_for === null ? undefined : OF_A_TIME[decision?.code ?? '']) ?? decision?.note ?? '';
