/** Lists every projection, the tables that an audit compares with the ledger. */
import { eventPastProjection, eventProjection } from '../calendar/events/projections.ts';
import { sourceAddressProjection, sourceProjection } from '../calendar/sources/projections.ts';
import { LEDGER_PROJECTIONS, type Projection } from '../ledger/projections.ts';
import { ACCOUNT_PROJECTIONS } from '../user/account-projection.ts';
import {
  webhookAddressProjection,
  webhookProjection,
  webhookSecretProjection,
} from '../webhooks/webhook-projection.ts';

export const PROJECTIONS: Projection[] = [
  ...LEDGER_PROJECTIONS,
  ...ACCOUNT_PROJECTIONS,
  eventProjection,
  eventPastProjection,
  sourceProjection,
  sourceAddressProjection,
  webhookProjection,
  webhookAddressProjection,
  webhookSecretProjection,
];
