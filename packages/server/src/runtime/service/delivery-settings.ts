/** Derives the settings of the sender from the configuration. */
import { readFileSync } from 'node:fs';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { SenderSettings, SettingsOf } from '../../platform/senders/sender.ts';
import { NAME_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from '../../webhooks/deliveries/request.ts';
import type { Config } from '../config/config.ts';
import { userAgent } from './package-version.ts';

/** Returns null if this node sends nothing. */
export function deliverySettings(
  { deliveries: { isOn, perSecond, giveUpMs, caFile, nameServers } }: Config,
  { secretsKey, destinations: { addresses: policy } }: Pick<Settings, 'secretsKey' | 'destinations'>,
  bounds: SettingsOf<'events'>['bounds'],
): SenderSettings['events'] {
  if (!isOn || secretsKey === null) return null;
  return {
    secretsKey,
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
