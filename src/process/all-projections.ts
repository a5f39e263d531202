/** Every table that only repeats what the ledger says: what an audit compares with it. */
import { eventPastProjection, eventProjection } from '../calendar/event-projections.ts';
import { LEDGER_PROJECTIONS, type Projection } from '../ledger/projections.ts';

export const PROJECTIONS: Projection[] = [...LEDGER_PROJECTIONS, eventProjection, eventPastProjection];
