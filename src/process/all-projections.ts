/** Lists every projection, the tables that an audit compares with the ledger. */
import { eventPastProjection, eventProjection, sourceProjection } from '../calendar/event-projections.ts';
import { LEDGER_PROJECTIONS, type Projection } from '../ledger/projections.ts';
import { ACCOUNT_PROJECTIONS } from '../user/account-projection.ts';
import { webhookAddressProjection, webhookProjection } from '../webhooks/webhook-projection.ts';

export const PROJECTIONS: Projection[] = [
  ...LEDGER_PROJECTIONS,
  ...ACCOUNT_PROJECTIONS,
  eventProjection,
  eventPastProjection,
  sourceProjection,
  webhookProjection,
  webhookAddressProjection,
];
