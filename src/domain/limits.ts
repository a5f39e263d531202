// placeholder until the limits helper delivers (overwrite freely)
import { z } from 'zod';
export const Limits = z.strictObject({ budget: z.strictObject({ per_day: z.number().nullable(), per_week: z.number().nullable() }), only_in_tempo: z.boolean(), cadence: z.array(z.unknown()) }).meta({ id: 'Limits' });
export type Limits = z.infer<typeof Limits>;
export const defaultLimits = (): Limits => ({ budget: { per_day: null, per_week: null }, only_in_tempo: false, cadence: [] });
