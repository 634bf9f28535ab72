/** Destinations of events, for measuring their cost to the calls of apps. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mintSecret } from '@latchkey/server/ground/base/random.ts';
import { LICENSED_PRODUCTS } from './catalogue.ts';
import { startControl } from './control-server.ts';
import type { LatchkeyServer } from './latchkey.ts';
import { certificateIn } from './program.ts';

/** The events that the destinations get. */
export const MATCHINGS = ['none', 'share'] as const;

/** The largest number of destinations of the operator. */
export const MAX_DESTINATIONS = 100;

/** Destinations to create. */
export interface DestinationsPlan {
  readonly count: number;
  /**
   * - `none`: they are for products without licenses
   * - `share`: each event of a license goes to one of them
   */
  readonly matching: (typeof MATCHINGS)[number];
}

/** A receiver in a process of its own. */
export interface BenchReceiver {
  readonly url: string;
  /** Settings with which Latchkey sends events to it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a receiver that answers every event with 200; `running` stops it. */
export async function startReceiver(dataDirectory: string, running: AsyncDisposableStack): Promise<BenchReceiver> {
  const directory = join(dataDirectory, 'receiver');
  await mkdir(directory, { mode: 0o700 });
  const certificate = await certificateIn(directory);
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, certificate.certificate);
  const server = running.adopt(await startControl(certificate), (each) => each.stop());
  return {
    url: `https://127.0.0.1:${server.address.port}/events`,
    environment: {
      LATCHKEY_DELIVERY_NETWORKS: '127.0.0.1/32',
      LATCHKEY_DELIVERY_CA_FILE: caFile,
      LATCHKEY_SECRETS_KEY: mintSecret(24),
    },
  };
}

/** Creates active destinations in a running service. */
export async function createDestinations(
  { count, matching }: DestinationsPlan,
  { url }: BenchReceiver,
  latchkey: LatchkeyServer,
): Promise<void> {
  for (let number = 0; number < count; number += 1)
    await latchkey.admin('/createDestination', { url, types: ['*'], productIds: productsOf(number, count, matching) });
}

/** The products of a destination: with `share` each licensed one belongs to one destination. */
export function productsOf(number: number, count: number, matching: DestinationsPlan['matching']): readonly string[] {
  const productIds: string[] = [];
  if (matching === 'share')
    for (let product = number; product < LICENSED_PRODUCTS; product += count) productIds.push(`product-${product}`);
  return productIds.length === 0 ? [`unlicensed-${number}`] : productIds;
}
