/** Fills the database of a {@link Stage} with rows that would take too long to create by calls. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock, toTimestamp } from '../../src/base/clock.ts';
import { addDestination } from '../../src/destinations/change.ts';
import { type Destination, mintDestinationId } from '../../src/destinations/destination.ts';
import { mintDestinationSecret, sealSecret } from '../../src/destinations/seal.ts';
import { lockDestinations } from '../../src/destinations/store.ts';
import type { Origin } from '../../src/events/event.ts';
import { recordChanges } from '../../src/events/record.ts';
import { insertProduct } from '../../src/products/store.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { Stage } from './stage.ts';

const ROWS_PER_TRANSACTION = 500;

const originNow = (): Origin => ({ actor: { kind: 'command', name: 'test' }, requestId: null, now: systemClock() });

/** Records changes of these licenses in rotation. The events have the numbers that follow `firstNumber`. */
export async function seedEvents(storage: Storage, licenseKeys: readonly string[], total: number): Promise<void> {
  const FIRST_NUMBER = 100;
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

/** Creators, each with one product and the same number of destinations. */
export interface SeededCreators {
  readonly creators: number;
  readonly destinationsOfEach: number;
  readonly types: readonly string[];
  /** URL of a destination by its number. */
  url(number: number): string;
}

/** Adds creators with products, whose destinations are active. Returns the ids of the products. */
export async function seedCreators(stage: Stage, seeded: SeededCreators): Promise<readonly string[]> {
  const { creators, destinationsOfEach, types, url } = seeded;
  const key = stage.secretsKey;
  const now = systemClock();
  const at = toTimestamp(now);
  const productIds = Array.from({ length: creators }, (_, number) => `product-${number}`);
  await stage.withStorage(async (storage) => {
    for (const [number, productId] of productIds.entries()) {
      const creatorId = `creator-${number}`;
      await storage.transaction(async (tx) => {
        await lockDestinations(tx);
        await insertProduct(tx, {
          ...{ productId, name: productId, creatorId, status: 'live', createdAt: at, updatedAt: at },
        });
        for (let each = 0; each < destinationsOfEach; each++) {
          const destinationId = mintDestinationId(now);
          const destination: Destination = {
            ...{ destinationId, creatorId, types, url: url(number * destinationsOfEach + each) },
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
