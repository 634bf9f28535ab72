/**
 * Measures the bytes that calls of the client endpoints write to the log of a database. Unlike requests per second,
 * they hardly depend on the machine and its load. The calls are dispatched in this process, in batches of a fixed size,
 * and no job runs meanwhile.
 */
import { statSync } from 'node:fs';
import { countedChanges, endpointsByPath, identify } from '@latchkey/server/app.ts';
import { mintRequestId } from '@latchkey/server/ground/base/random.ts';
import type { License } from '@latchkey/server/licensing/licenses/license.ts';
import { ObservedCalls } from '@latchkey/server/licensing/observed-calls/observed-calls.ts';
import { ObservedWriter } from '@latchkey/server/licensing/observed-calls/write-observed.ts';
import { claimsFor } from '@latchkey/server/licensing/session-tokens/token.ts';
import { believingEvery } from '@latchkey/server/platform/believed-time/believed-time.ts';
import type { Outcome } from '@latchkey/server/platform/endpoint/outcome.ts';
import { enterWaitingEvents, startIndexingLate } from '@latchkey/server/platform/events/late-index.ts';
import { insertEvents } from '@latchkey/server/platform/events/store.ts';
import { createLocalDispatcher } from '@latchkey/server/runtime/dispatch/local-dispatcher.ts';
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import { type Storage, statement } from '@latchkey/server/storage/contract/storage.ts';
import { openStorage } from '@latchkey/server/storage/opening/open.ts';
import { ruleContextOf } from '../../packages/server/test/support/contexts.ts';
import { openSqliteFile } from '../../packages/server/test/support/sqlite-file.ts';
import { unrecorded } from '../../packages/server/test/support/unrecorded.ts';
import { LICENSED_PRODUCTS, LICENSES_PER_GROUP, SESSION_LIFETIME_MS, TOKEN_LIFETIME_MS } from './catalogue.ts';
import type { Seeded } from './seed.ts';

/** Number of calls per batch. */
export const BATCH_SIZES = [1, 32] as const;
/** Minimum number of licenses in the database. */
export const LICENSES_TO_WRITE = 10_000;
/**
 * Events that were recorded before: enough that each product has pages of its own in the index of events by product.
 */
const EVENTS_BEFORE = 10_000;
const EVENTS_PER_TRANSACTION = 1000;

/** Activations of each license in the load that returns to the same ones: one below the limit of 15 an hour. */
const ROUNDS = 14;
/**
 * Licenses in that load, by the number of calls per batch: a multiple of it, enough for a late entry into indexes, and
 * enough calls that the splits of index pages, which depend on random keys, vary a figure by at most 2 %.
 */
const LICENSES_AGAIN = { 1: 32, 32: 64 } as const;
/** The countries of callers, where a load has some. */
const COUNTRIES = ['DE', 'US', 'NZ', 'BR', 'JP'];
/** Coprime to the numbers of licenses, so that its multiples visit each of them in a scattered order. */
const STRIDE = 7919;

type BatchSize = (typeof BATCH_SIZES)[number];

/** The bytes of one call, an average over its load. */
export interface WrittenBytes {
  readonly load: LoadName;
  readonly batchSize: BatchSize;
  /**
   * Without full-page images. PostgreSQL leaves data out of a record that has an image, so this figure needs a server
   * without images (`full_page_writes=off`).
   */
  readonly log: number;
  /** Bytes of full-page images, right after a checkpoint; 0 on SQLite, whose log consists of pages. */
  readonly images: number;
}

/** Makes a call by its number from 0. */
type Load = (number: number) => {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Of the caller; unknown by default. */
  readonly country?: string;
};

/** In the order of measurement. */
export const LOADS = [
  'activate, each license once',
  'activate, the same licenses again',
  'activate, known machine',
  'validate',
  'heartbeat',
  'deactivate',
  'activate, each license once from a country',
] as const;

type LoadName = (typeof LOADS)[number];

/** Measures every load at every batch size, on a database that seed.ts has filled and that nothing else uses. */
export async function measureWrittenBytes(database: Database, seeded: Seeded): Promise<readonly WrittenBytes[]> {
  const storage = await openStorage(database);
  const clock = () => seeded.catalogue.filledAt;
  const context = ruleContextOf(seeded.tokenKeys);
  const settings = { ...context.settings, floatingTimeoutMs: SESSION_LIFETIME_MS };
  const observedCalls = new ObservedCalls(countedChanges);
  const ruleContext = { ...context, settings, observedCalls, believedTime: believingEvery(clock) };
  const dispatcher = createLocalDispatcher(
    storage,
    { endpoints: endpointsByPath, identify, ruleContext },
    { batchesAtOnce: 1 },
  );
  // Later than the seeded signs of life. Each batch has a moment of its own.
  let now = seeded.catalogue.filledAt + 1000;
  async function dispatchTogether(calls: readonly ReturnType<Load>[]): Promise<void> {
    now += 1;
    const answered = calls.map(({ path, fields, country = null }) => {
      const requestContext = { requestId: mintRequestId(now), now, country, address: '192.0.2.1' };
      const call = { path, credential: { kind: 'none' }, read: { fields }, requestContext, idempotency: null } as const;
      return new Promise<Outcome>((resolve) => dispatcher.dispatch(call, resolve));
    });
    for (const { status, body } of await Promise.all(answered)) if (status !== 200) throw new Error(String(body));
  }
  // The work that a service does once per many changes is part of the cost of each change.
  let stopIndexing = async () => {};
  const fail = (error: unknown) => {
    throw error;
  };
  const observedWriter = new ObservedWriter(storage, observedCalls, fail);
  try {
    await recordEarlierEvents(storage, seeded);
    if (database.engine === 'sqlite') {
      await enterWaitingEvents(storage);
      stopIndexing = startIndexingLate(storage, fail);
    }
    const log = database.engine === 'sqlite' ? sqliteLog(database.file) : await postgresLog(storage);
    const written: WrittenBytes[] = [];
    for (const [share, batchSize] of BATCH_SIZES.entries()) {
      const calls = ROUNDS * LICENSES_AGAIN[batchSize];
      const loads = loadsOf(seeded, share, LICENSES_AGAIN[batchSize]);
      for (const load of LOADS) {
        const bytes = await log.during(async () => {
          for (let first = 0; first < calls; first += batchSize)
            await dispatchTogether(Array.from({ length: batchSize }, (_, offset) => loads[load](first + offset)));
          await observedWriter.writeCountries();
        });
        written.push({ load, batchSize, log: bytes.log / calls, images: bytes.images / calls });
      }
    }
    return written;
  } finally {
    await stopIndexing();
    await dispatcher.close();
  }
}

async function recordEarlierEvents(storage: Storage, { history }: Seeded): Promise<void> {
  for (let first = 0; first < EVENTS_BEFORE; first += EVENTS_PER_TRANSACTION) {
    const events = Array.from({ length: EVENTS_PER_TRANSACTION }, (_, offset) => history.event(first + offset));
    await storage.transaction((tx) => insertEvents(unrecorded(tx), events));
  }
}

/**
 * The loads of one batch size.
 *
 * @param share number of the batch size: each uses licenses of its own
 * @param licensesAgain number of licenses in the load that returns to the same ones
 */
function loadsOf(seeded: Seeded, share: number, licensesAgain: number): Readonly<Record<LoadName, Load>> {
  const { catalogue, tokenKeys } = seeded;
  const firstGroup = Math.ceil(catalogue.firstActive / LICENSES_PER_GROUP);
  const maxGroups = (catalogue.size / LICENSES_PER_GROUP - firstGroup) / BATCH_SIZES.length;
  // Groups take turns with the products, so that the calls of a batch concern as many products as possible.
  const groups = Math.floor(maxGroups / LICENSED_PRODUCTS) * LICENSED_PRODUCTS;
  if (groups < ROUNDS * licensesAgain) throw new Error(`${catalogue.size} licenses are too few`);
  // Of each group, a load uses the license in one position.
  const licenseAt = (position: number, number: number): License => {
    const group = firstGroup + share * groups + ((number * STRIDE) % groups);
    return catalogue.license(group * LICENSES_PER_GROUP + position);
  };
  const newMachine = ({ licenseKey, productId }: License, number: number) => {
    const machineFingerprint = `${'5e'.repeat(12)}${String(number).padStart(8, '0')}`;
    return { path: '/activate', fields: { licenseKey, machineFingerprint, hostname: 'workstation-9', productId } };
  };
  const session = (path: string, license: License) => {
    const { activationId, fingerprint, licenseKey } = catalogue.machine(license, 0);
    const claims = claimsFor(activationId, licenseKey, fingerprint, catalogue.filledAt, TOKEN_LIFETIME_MS);
    const token = tokenKeys.sign(claims, catalogue.filledAt);
    return { path, fields: { licenseKey, machineFingerprint: fingerprint, token } };
  };
  return {
    'activate, each license once': (number) => newMachine(licenseAt(3, number), number),
    'activate, the same licenses again': (number) => newMachine(licenseAt(4, number % licensesAgain), number),
    'activate, known machine'(number) {
      const license = licenseAt(0, number);
      const { licenseKey, productId } = license;
      const { fingerprint, hostname } = catalogue.machine(license, 0);
      return { path: '/activate', fields: { licenseKey, machineFingerprint: fingerprint, hostname, productId } };
    },
    validate: (number) => session('/validate', licenseAt(0, number)),
    heartbeat: (number) => session('/heartbeat', licenseAt(2, number)),
    deactivate: (number) => session('/deactivate', licenseAt(1, number)),
    // On the licenses that the load before it left without a machine.
    'activate, each license once from a country': (number) => ({
      ...newMachine(licenseAt(1, number), number),
      country: COUNTRIES[number % COUNTRIES.length]!,
    }),
  };
}

/** The log of a database. */
interface Log {
  /** Writes a checkpoint, then counts the bytes that some work writes. */
  during(work: () => Promise<void>): Promise<Pick<WrittenBytes, 'log' | 'images'>>;
}

/** The log grows by a frame for each page of a commit, and no load is long enough for a checkpoint. */
function sqliteLog(file: string): Log {
  return {
    async during(work) {
      using connection = openSqliteFile(file);
      connection.exec('pragma wal_checkpoint(truncate)');
      await work();
      return { log: statSync(`${file}-wal`).size, images: 0 };
    },
  };
}

const checkpoint = statement('bench.checkpoint', 'checkpoint');
const extension = statement('bench.extension', 'create extension if not exists pg_walinspect');
const place = statement('bench.place', 'select pg_current_wal_insert_lsn()::text as "place"');
// Records of kinds that the server writes by itself at intervals are left out, but for their images.
const bytesSince = statement(
  'bench.bytes',
  `select sum(record_size) filter (where "resource_manager/record_type" not in ('XLOG', 'Standby'))::bigint as "log",
     sum(fpi_size)::bigint as "images"
   from pg_get_wal_stats($1::pg_lsn, pg_current_wal_insert_lsn())`,
);

async function postgresLog(storage: Storage): Promise<Log> {
  await storage.read((sql) => sql.all(extension));
  return {
    async during(work) {
      await storage.read((sql) => sql.all(checkpoint));
      const from = await storage.read((sql) => sql.first<{ place: string }>(place));
      await work();
      const bytes = await storage.read((sql) =>
        sql.first<Pick<WrittenBytes, 'log' | 'images'>>(bytesSince, from!.place),
      );
      return bytes!;
    },
  };
}
