/** Every migration of the service, oldest first. */
import { licenses } from './0001-licenses.ts';
import { products } from './0002-products.ts';
import { apiKeys } from './0003-api-keys.ts';
import { discountCodes } from './0004-discount-codes.ts';
import { storefront } from './0005-storefront.ts';
import { studioOrders } from './0006-studio-orders.ts';
import { idempotency } from './0007-idempotency.ts';
import { jobs } from './0008-jobs.ts';
import { sessionDue } from './0009-session-due.ts';
import { trialRate } from './0010-trial-rate.ts';
import { keptReplies } from './0011-kept-replies.ts';
import { tokenLifetimes } from './0012-token-lifetimes.ts';
import { purchasesOfCreators } from './0013-purchases-of-creators.ts';
import { variantsByName } from './0014-variants-by-name.ts';
import { listsOfCreators } from './0015-lists-of-creators.ts';
import { events } from './0016-events.ts';
import { listsByPurchaseAndVariant } from './0017-lists-by-purchase-and-variant.ts';
import { listsOfEvents } from './0018-lists-of-events.ts';
import { keptRefusals } from './0019-kept-refusals.ts';
import { statistics } from './0020-statistics.ts';
import { forgetting } from './0021-forgetting.ts';
import { boardsAndSearches } from './0022-boards-and-searches.ts';
import { licenseTotals } from './0023-license-totals.ts';
import { databaseCopies } from './0030-database-copies.ts';
import { issuedKeys } from './0031-issued-keys.ts';
import { licenseFiles } from './0040-license-files.ts';
import { consoleSessions } from './0050-console.ts';
import { listsOfRefusals } from './0051-lists-of-refusals.ts';
import { revokedKeys } from './0055-revoked-keys.ts';
import { roomForUse } from './0060-room-for-use.ts';
import { keptReplyRoom } from './0070-kept-reply-room.ts';
import { furtherLimits } from './0072-further-limits.ts';
import { addressesBeyondAscii } from './0073-addresses-beyond-ascii.ts';
import { believedRounds } from './0075-believed-rounds.ts';
import { lateEvents } from './0076-late-events.ts';
import { storefrontDeliveries } from './0080-storefront-deliveries.ts';
import { outboundEvents } from './0087-outbound-events.ts';
import { replays } from './0088-replays.ts';
import { keysOfDestinations } from './0090-keys-of-destinations.ts';
import { mails } from './0091-mails.ts';
import { selfService } from './0092-self-service.ts';
import { expiryNotices } from './0093-expiry-notices.ts';
import { customersOfProducts } from './0095-customers-of-products.ts';
import { endsOfKeys } from './0096-ends-of-keys.ts';
import { replyTemplates } from './0097-reply-templates.ts';
import { countriesOfLicenses } from './0098-countries-of-licenses.ts';
import { allStudioOrders } from './0099-all-studio-orders.ts';
import { lateEventsByRequest } from './0100-late-events-by-request.ts';
import { listsOfDestinations } from './0101-lists-of-destinations.ts';
import type { Migration } from './migration.ts';

/**
 * Every migration, in the order of application. Existing databases record the numbers and names, and the SQL of a
 * released migration never changes: a correction is a new migration at the end.
 */
export const migrations: readonly Migration[] = [
  licenses,
  products,
  apiKeys,
  discountCodes,
  storefront,
  studioOrders,
  idempotency,
  jobs,
  sessionDue,
  trialRate,
  keptReplies,
  tokenLifetimes,
  purchasesOfCreators,
  variantsByName,
  listsOfCreators,
  events,
  listsByPurchaseAndVariant,
  listsOfEvents,
  keptRefusals,
  statistics,
  forgetting,
  boardsAndSearches,
  licenseTotals,
  databaseCopies,
  issuedKeys,
  licenseFiles,
  consoleSessions,
  listsOfRefusals,
  revokedKeys,
  roomForUse,
  keptReplyRoom,
  furtherLimits,
  addressesBeyondAscii,
  believedRounds,
  lateEvents,
  storefrontDeliveries,
  outboundEvents,
  replays,
  keysOfDestinations,
  mails,
  selfService,
  expiryNotices,
  customersOfProducts,
  endsOfKeys,
  replyTemplates,
  countriesOfLicenses,
  allStudioOrders,
  lateEventsByRequest,
  listsOfDestinations,
];
