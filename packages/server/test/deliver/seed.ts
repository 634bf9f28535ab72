/** Fills the database of a {@link Stage} with rows that would take too long to create by calls. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import { insertProduct } from '../../src/licensing/products/store.ts';
import type { Origin } from '../../src/platform/events/event.ts';
import { recordChanges } from '../../src/platform/events/record.ts';
import { sealSecret } from '../../src/platform/sealing/seal.ts';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { addDestination } from '../../src/webhooks/destinations/change.ts';
import { type Destination, mintDestinationId } from '../../src/webhooks/destinations/destination.ts';
import { mintDestinationSecret } from '../../src/webhooks/destinations/secret.ts';
import { lockDestinations } from '../../src/webhooks/destinations/turn-store.ts';
import { unrecorded } from '../support/unrecorded.ts';
import type { Stage } from './stage.ts';

const ROWS_PER_TRANSACTION = 500;
const FIRST_NUMBER = 100;
const DESTINATIONS_OF_CREATOR = 20;

const originNow = (): Origin => ({ actor: { kind: 'command', name: 'test' }, requestId: null, now: systemClock() });

/** Records changes of these licenses in rotation, numbered from {@link FIRST_NUMBER} on. */
export async function seedEvents(storage: Storage, licenseKeys: readonly string[], total: number): Promise<void> {
  for (let from = 0; from < total; from += ROWS_PER_TRANSACTION) {
    const origin = originNow();
    const changes = Array.from({ length: Math.min(ROWS_PER_TRANSACTION, total - from) }, (_, index) => {
      const place = from + index;
      const licenseKey = licenseKeys[place % licenseKeys.length] ?? '';
      const licenseNumber = FIRST_NUMBER + Math.floor(place / licenseKeys.length);
      const type = 'license.updated' as const;
      return { type, licenseKey, licenseNumber, productId: 'app', before: {}, after: {}, origin };
    });
    await storage.transaction((tx) => recordChanges(tx, changes));
    await nextTurn();
  }
}

/**
 * Adds creators, each with one product and 20 active destinations of all events. Returns the ids of the products.
 *
 * @param destinations their number in all, a multiple of 20
 * @param url returns the URL of a destination by its number
 */
export async function seedCreators(
  stage: Stage,
  destinations: number,
  url: (number: number) => string,
): Promise<readonly string[]> {
  const key = stage.secretsKey;
  const now = systemClock();
  const at = toTimestamp(now);
  const creators = destinations / DESTINATIONS_OF_CREATOR;
  const productIds = Array.from({ length: creators }, (_, number) => `product-${number}`);
  await stage.withStorage(async (storage) => {
    for (const [number, productId] of productIds.entries()) {
      const creatorId = `creator-${number}`;
      await storage.transaction(async (tx) => {
        await lockDestinations(tx);
        const product = { productId, name: productId, creatorId, createdAt: at, updatedAt: at };
        await insertProduct(unrecorded(tx), { ...product, status: 'live' });
        for (let each = 0; each < DESTINATIONS_OF_CREATOR; each++) {
          const destinationId = mintDestinationId(now);
          const destination: Destination = {
            ...{ destinationId, creatorId, types: ['*'], url: url(number * DESTINATIONS_OF_CREATOR + each) },
            ...{ description: null, productIds: null, includeLicenseKeys: false, includePersonalData: false },
            ...{ requestsPerSecond: 50, previousSecret: null, previousEndsAt: null },
            ...{ secret: sealSecret(mintDestinationSecret(), destinationId, key) },
            ...{ state: 'active', stateReason: null, createdAt: at, updatedAt: at },
          };
          await addDestination(tx, originNow(), destination);
        }
      });
    }
  });
  return productIds;
}
