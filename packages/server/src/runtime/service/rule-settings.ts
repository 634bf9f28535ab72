/** The settings that rules are given, made of the configuration and the secrets. */

import { deriveBindingKeys } from '../../access/console/binding.ts';
import { digestOfRights } from '../../access/oidc/settings.ts';
import { deriveCodeKey } from '../../customers/self-service/code.ts';
import type { SelfServiceSettings } from '../../customers/self-service/settings.ts';
import type { KeptReplyBounds, Settings } from '../../platform/endpoint/rule-context.ts';
import { deriveSealingKeys } from '../../platform/kept-replies/seal.ts';
import type { AddressPolicy } from '../../webhooks/destinations/address-policy.ts';
import type { Config } from '../config/config.ts';
import { openSecretsKey, type Secrets } from '../config/secrets.ts';
import { packageVersion, userAgent } from './package-version.ts';
import { providerSettings } from './provider-settings.ts';

/** Requests of customers for a mailed code that are open at once. */
const MAX_OPEN_CODE_REQUESTS = 100_000;

/** Bounds that are not configurable. */
export interface RuleBounds {
  /** Bounds of the replies that are kept for safe retries. */
  readonly keptReplies: KeptReplyBounds;
  /** Requests of customers for a mailed code that are open at once; {@link MAX_OPEN_CODE_REQUESTS} by default. */
  readonly maxOpenCodeRequests?: number;
  /** The addresses that events may be sent to; test addresses are allowed besides those of the configuration. */
  readonly deliveryAddresses: AddressPolicy;
}

/** @param signingKeys the keys of the operator's own file that sign license files, as PEM; null without one */
export function ruleSettings(
  config: Config,
  secrets: Secrets,
  signingKeys: string | null,
  bounds: RuleBounds,
): Settings {
  const adminSecrets = [secrets.adminSecret, config.previousAdminSecret].filter((each) => each !== null);
  const { networks, deniedNetworks } = config.deliveries;
  const { testAddresses } = bounds.deliveryAddresses;
  const secretsKey = openSecretsKey(config);
  return {
    tokenLifetimeMs: config.tokenLifetimeMs,
    floatingTimeoutMs: config.floatingTimeoutMs,
    eventRetentionMs: config.eventRetentionMs,
    expiryNoticesMs: config.deliveries.expiryNoticesMs,
    creatorsMayCreateProducts: config.creatorsMayCreateProducts,
    keylessTrials: config.limits.keylessTrials,
    creatorQuotas: config.creatorQuotas,
    trialsPerHour: config.limits.trialsPerHour,
    licenseFiles: config.licenseFiles,
    signingKeys,
    sealingKeys: deriveSealingKeys(adminSecrets),
    keptReplies: bounds.keptReplies,
    secretsKey,
    destinations: {
      userAgent: userAgent(),
      mayBeOfCreators: config.creatorsMayCreateDestinations,
      addresses: { operatorNetworks: networks, deniedNetworks, testAddresses },
    },
    connectors: { publicUrl: config.publicUrl },
    sendsMail: config.mail !== null,
    mailsStorefront: config.mailsStorefront,
    operatorNotices: config.operatorNotices && {
      ...config.operatorNotices,
      consoleUrl: config.console === null || config.publicUrl === null ? null : `${config.publicUrl}/console`,
      label: config.console?.label ?? null,
    },
    selfService: selfServiceSettings(config, secretsKey, bounds.maxOpenCodeRequests ?? MAX_OPEN_CODE_REQUESTS),
    console: config.console && {
      label: config.console.label,
      version: packageVersion(),
      engine: config.database.engine,
      areCountriesKnown: config.countryHeader !== null || config.geoipFile !== null,
      bindingKeys: deriveBindingKeys(adminSecrets),
      takesAdminSecret: config.console.takesAdminSecret,
      providerDigest: config.oidc && digestOfRights(config.oidc.issuer, config.oidc.clientId, config.oidc.grants),
    },
    provider: providerSettings(config.oidc, adminSecrets),
  };
}

/**
 * Without a secrets key there are no codes, so there are no pages (contradictions of the configuration name the key).
 */
function selfServiceSettings(
  { selfService }: Config,
  secretsKey: Uint8Array | null,
  maxOpenRequests: number,
): SelfServiceSettings | null {
  if (selfService === null || secretsKey === null) return null;
  return { ...selfService, codeKey: deriveCodeKey(secretsKey), maxOpenRequests };
}
