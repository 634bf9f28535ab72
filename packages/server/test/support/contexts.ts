/** The context that rules receive besides fields and rows, for tests that call them without a service. */

import { countedChanges } from '../../src/app.ts';
import { saleMails } from '../../src/customers/sale-mails/queue.ts';
import { DAY_MS, MINUTE_MS, systemClock } from '../../src/ground/base/clock.ts';
import { RecentFiles } from '../../src/licensing/license-files/recent-files.ts';
import { SigningKeys } from '../../src/licensing/license-files/signing-keys.ts';
import { ObservedCalls } from '../../src/licensing/observed-calls/observed-calls.ts';
import { TokenKeys } from '../../src/licensing/session-tokens/token-keys.ts';
import { ViolationTally } from '../../src/licensing/violations/violation-tally.ts';
import { believingEvery } from '../../src/platform/believed-time/believed-time.ts';
import type { RequestContext } from '../../src/platform/endpoint/endpoint.ts';
import type { RuleContext, Settings } from '../../src/platform/endpoint/rule-context.ts';
import type { JobContext } from '../../src/platform/slice/slice.ts';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { PUBLIC_ADDRESSES } from '../../src/webhooks/destinations/address-policy.ts';

/** The usual settings. */
export const SETTINGS: Settings = {
  tokenLifetimeMs: 30 * DAY_MS,
  floatingTimeoutMs: 15 * MINUTE_MS,
  creatorsMayCreateProducts: true,
  sealingKeys: [],
  keptReplies: { ofReply: 1_048_576, ofCaller: 16_777_216, ofOperatorSecret: 268_435_456 },
  eventRetentionMs: 400 * 86_400_000,
  expiryNoticesMs: [7 * DAY_MS, DAY_MS],
  creatorQuotas: { saves: null, products: null, variants: null, codes: null, licenses: null, notes: null },
  trialsPerHour: null,
  keylessTrials: { ofNetwork: null, ofProduct: null },
  licenseFiles: { lifetimeMs: 30 * DAY_MS, floatingLifetimeMs: DAY_MS, leewayMs: 3 * DAY_MS },
  signingKeys: null,
  secretsKey: null,
  connectors: { publicUrl: null },
  destinations: { userAgent: 'Latchkey/test', mayBeOfCreators: true, addresses: PUBLIC_ADDRESSES },
  sendsMail: false,
  mailsStorefront: false,
  operatorNotices: null,
  selfService: null,
  console: null,
  provider: null,
};

/** The context of rules; to sign tokens, the token keys must be open. */
export function ruleContextOf(tokenKeys: TokenKeys = new TokenKeys()): RuleContext {
  return {
    settings: SETTINGS,
    tokenKeys,
    signingKeys: new SigningKeys(),
    recentFiles: new RecentFiles(),
    violationTally: new ViolationTally(),
    observedCalls: new ObservedCalls(countedChanges),
    licenseCache: null,
    moveRows: () => Promise.reject(new Error('these rules replace no key')),
    saleMails: saleMails(SETTINGS),
    believedTime: believingEvery(systemClock),
  };
}

/** The context of jobs. */
export function jobContextOf(storage: Storage, settings: Partial<Settings> = {}): JobContext {
  const ruleContext = { ...ruleContextOf(), settings: { ...SETTINGS, expiryNoticesMs: null, ...settings } };
  return { settings: ruleContext.settings, ruleContext, storage, report: () => {}, bounds: {} };
}

/** A request of this moment, in milliseconds. */
export function requestContextAt(now: number, country: string | null = null): RequestContext {
  return { requestId: 'test', now, country, address: '192.0.2.1' };
}
