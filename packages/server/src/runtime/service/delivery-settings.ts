/** Derives the settings of the sender from the configuration. */
import { readFileSync } from 'node:fs';
import { NAME_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from '../../webhooks/deliveries/request.ts';
import type { SenderBounds } from '../../webhooks/deliveries/sender-bounds.ts';
import type { AddressPolicy } from '../../webhooks/destinations/address-policy.ts';
import type { Config } from '../config/config.ts';
import type { DeliverySettings } from '../engines/delivery-thread.ts';
import { userAgent } from './package-version.ts';

/** Returns null if this node sends nothing. */
export function deliverySettings(
  { deliveries: { isOn, perSecond, giveUpMs, caFile, nameServers } }: Config,
  policy: AddressPolicy,
  bounds: Partial<SenderBounds>,
): DeliverySettings | null {
  if (!isOn) return null;
  return {
    userAgent: userAgent(),
    requests: {
      policy,
      nameServers,
      additionalCa: caFile === null ? null : readFileSync(caFile, 'utf8'),
      timeoutMs: REQUEST_TIMEOUT_MS,
      nameTimeoutMs: NAME_TIMEOUT_MS,
    },
    bounds: { perSecond: perSecond ?? Number.POSITIVE_INFINITY, giveUpMs, ...bounds },
  };
}
