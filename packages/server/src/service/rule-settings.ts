/** The settings that rules are given, made of the configuration and the secrets. */
import type { Config } from '../config/config.ts';
import { openSecretsKey, type Secrets } from '../config/secrets.ts';
import { deriveBindingKeys } from '../console/binding.ts';
import type { AddressPolicy } from '../destinations/address-policy.ts';
import type { KeptReplyBounds, Settings } from '../endpoint/rule-context.ts';
import { deriveSealingKeys } from '../kept-replies/seal.ts';
import { packageVersion, userAgent } from './package-version.ts';

/** Bounds that are not configurable. */
interface RuleBounds {
  readonly keptReplies: KeptReplyBounds;
  /** Its test addresses are allowed besides those of the configuration. */
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
  return {
    tokenLifetimeMs: config.tokenLifetimeMs,
    floatingTimeoutMs: config.floatingTimeoutMs,
    eventRetentionMs: config.eventRetentionMs,
    expiryNoticesMs: config.deliveries.expiryNoticesMs,
    creatorsMayCreateProducts: config.creatorsMayCreateProducts,
    trialsPerHour: config.limits.trialsPerHour,
    licenseFiles: config.licenseFiles,
    signingKeys,
    sealingKeys: deriveSealingKeys(adminSecrets),
    keptReplies: bounds.keptReplies,
    destinations: {
      secretsKey: openSecretsKey(config),
      userAgent: userAgent(),
      mayBeOfCreators: config.creatorsMayCreateDestinations,
      addresses: { operatorNetworks: networks, deniedNetworks, testAddresses },
    },
    sendsMail: config.mail !== null,
    console: config.console && {
      label: config.console.label,
      version: packageVersion(),
      engine: config.database.engine,
      areCountriesKnown: config.countryHeader !== null || config.geoipFile !== null,
      bindingKeys: deriveBindingKeys(adminSecrets),
    },
  };
}
