/**
 * The service as `npm start` runs it, except that it may also send events to loopback addresses below 127.1.0.0/16. The
 * package has no setting for that, and none for stand-ins of sellers.
 *
 *   node sending-service.ts '{"addresses":["127.1.0.1"],"sender":{"leaseMs":1000}}'
 */

import type { MailBounds } from '../../src/customers/mail/sender.ts';
import { loadConfig } from '../../src/runtime/config/read-config.ts';
import { startServer } from '../../src/runtime/service/server.ts';
import type { SenderBounds } from '../../src/webhooks/deliveries/sender-bounds.ts';
import { PUBLIC_ADDRESSES } from '../../src/webhooks/destinations/address-policy.ts';

/** The argument of the program. */
export interface SendingPlan {
  readonly addresses: readonly string[];
  /** Bounds of the sender in place of the usual ones. */
  readonly sender?: Partial<SenderBounds>;
  /** Bounds of the sender of e-mails in place of the usual ones. */
  readonly mailSender?: Partial<MailBounds>;
  /** Addresses of the stand-ins of the APIs of sellers, by the name of the seller. */
  readonly shopOrigins?: Readonly<Record<string, string>>;
}

const { addresses, sender = {}, mailSender = {}, shopOrigins = {} } = JSON.parse(process.argv[2] ?? '') as SendingPlan;
if (!addresses.every((each) => each.startsWith('127.1.'))) throw new Error('an address is outside 127.1.0.0/16');
const server = await startServer(loadConfig(process.env), undefined, {
  deliveryAddresses: { ...PUBLIC_ADDRESSES, testAddresses: addresses },
  sender,
  mailSender,
  shopOrigins,
});
process.once('SIGTERM', (signal) => void server.stop(signal).then(() => process.exit(0)));
