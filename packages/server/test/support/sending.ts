/** Senders on a real database, with receivers and a clock that the test controls. */
import assert from 'node:assert/strict';
import { MINUTE_MS, systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import { mintEventId, type Origin } from '../../src/platform/events/event.ts';
import { recordChanges } from '../../src/platform/events/record.ts';
import { sealSecret } from '../../src/platform/sealing/seal.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { type Storage, statement } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { readDeliveries, writeDeliveries } from '../../src/webhooks/deliveries/delivery-store.ts';
import { addTest } from '../../src/webhooks/deliveries/listing-store.ts';
import type { AttemptRequest, AttemptResult } from '../../src/webhooks/deliveries/request.ts';
import { Sender } from '../../src/webhooks/deliveries/sender.ts';
import { SENDER_BOUNDS, type SenderBounds } from '../../src/webhooks/deliveries/sender-bounds.ts';
import type { SenderListeners, SenderParts } from '../../src/webhooks/deliveries/sender-parts.ts';
import type { DeliveryStore } from '../../src/webhooks/deliveries/store.ts';
import { addDestination, removeDestination } from '../../src/webhooks/destinations/change.ts';
import { type Destination, mintDestinationId } from '../../src/webhooks/destinations/destination.ts';
import { mintDestinationSecret } from '../../src/webhooks/destinations/secret.ts';
import { secretsOf } from '../../src/webhooks/destinations/sendable.ts';
import { findDestination } from '../../src/webhooks/destinations/store.ts';
import { lockDestinations, noteChange } from '../../src/webhooks/destinations/turn-store.ts';
import { type Engine, freshDatabase } from './databases.ts';

const KEY = Buffer.alloc(32, 1);

/** The answer of a receiver. */
export const DELIVERED: Partial<AttemptResult> = { outcome: 'delivered', status: 204 };
export const NO_ANSWER: Partial<AttemptResult> = { outcome: 'refused' };
export const answered = (status: number): Partial<AttemptResult> => ({ outcome: 'status', status });

/** A request as a receiver sees it. */
export interface SentEvent {
  readonly host: string;
  readonly id: string;
  readonly type: string;
  readonly licenseKey: string;
  readonly number: number;
  readonly at: number;
  /** The answer to it. */
  readonly outcome: string;
}

const count = (name: string, table: string) =>
  statement(`test.count_${name}`, `select count(*) as "count" from ${table}`);
const counts = {
  waiting: count('waiting', "delivery where state = 'waiting'"),
  failed: count('failed', "delivery where state = 'failed'"),
  attempts: count('attempts', 'delivery_attempt'),
  alarms: count('alarms', "event where type = 'destination.failing'"),
  disabled: count('disabled', "destination where state = 'disabled'"),
} as const;
const setProducts = statement('test.set_products', 'update destination set product_ids = $2 where destination_id = $1');
const setUrl = statement('test.set_url', 'update destination set url = $2 where destination_id = $1');
const setState = statement('test.set_state', 'update destination set state = $2 where destination_id = $1');

/** This many licenses; an event of one never waits for an event of another. */
export const licensesOf = (count: number, prefix = 'license') =>
  Array.from({ length: count }, (_, at) => `${prefix} ${at}`);

/** Numbers from one to another, as a table `numbers` with the column `n`. */
export const numbers = (from: number, to: number) =>
  `(with recursive counted(n) as (select ${from} union all select n + 1 from counted where n < ${to}) select n from counted) numbers`;

/** A statement that adds deliveries to the destination `$1` at `$2`, of events from one number to another. */
export const addingDeliveries = (
  name: string,
  [from, to]: readonly [number, number],
  { state = 'waiting', cause = 'change', dueAt = '$2' } = {},
) =>
  statement(
    name,
    `insert into delivery
       (destination_id, event_id, position, license_key, cause, state, attempts, due_at, first_at, last_at)
     select $1, 'evt_' || n, 0, null, '${cause}', '${state}', 1, ${dueAt}, $2, $2 from ${numbers(from, to)}`,
  );

/** Fails if the events of a license were delivered in another order than their changes. */
export function assertOrdered(delivered: readonly SentEvent[]): void {
  for (const [licenseKey, events] of Map.groupBy(delivered, (each) => each.licenseKey)) {
    const found = events.map(({ number }) => number);
    const inOrder = found.toSorted((one, other) => one - other);
    assert.deepEqual(found, inOrder, `license ${licenseKey}`);
  }
}

/** Fails unless each of `count` events was delivered exactly once, in the order of its license. */
export function assertEachOnce(delivered: readonly SentEvent[], count: number): void {
  assert.equal(delivered.length, count);
  assert.equal(new Set(delivered.map(({ id }) => id)).size, count);
  assertOrdered(delivered);
}

/** A database with destinations, the events that a test records, and the requests that senders made. */
export class SendingWorld {
  readonly database: Database;
  readonly storage: Storage;
  now = systemClock();
  /** Advances with each look, so that limits per second never delay a test. */
  elapsed = 0;
  readonly sent: SentEvent[] = [];
  /** Names of the callbacks for the log, as the senders called them. */
  readonly heard: (keyof SenderListeners)[] = [];
  /** Answers a request; reports success by default. */
  answer: (sent: Omit<SentEvent, 'outcome'>) => Partial<AttemptResult> | Promise<Partial<AttemptResult>> = () =>
    DELIVERED;
  /** Real requests and look-ups in place of {@link answer}; null without them. */
  network: Pick<SenderParts, 'send' | 'addresses'> | null = null;
  readonly #remove: () => Promise<void>;
  #numbers = new Map<string, number>();
  #eventNumber = 0;

  constructor(database: Database, storage: Storage, remove: () => Promise<void>) {
    this.database = database;
    this.storage = storage;
    this.#remove = remove;
  }

  static async open(engine: Engine): Promise<SendingWorld> {
    const { database, remove } = await freshDatabase(engine);
    return new SendingWorld(database, await openStorage(database), remove);
  }

  async close(): Promise<void> {
    await this.storage.close();
    await this.#remove();
  }

  get #origin(): Origin {
    return { actor: { kind: 'command', name: 'test' }, requestId: null, now: this.now };
  }

  async destination(host = 'one.example', fields: Partial<Destination> = {}): Promise<string> {
    const destinationId = mintDestinationId(this.now);
    const destination: Destination = {
      destinationId,
      creatorId: null,
      url: `https://${host}/hook`,
      description: null,
      types: ['license.*'],
      productIds: null,
      includeLicenseKeys: false,
      includePersonalData: false,
      requestsPerSecond: 500,
      secret: sealSecret(mintDestinationSecret(), destinationId, KEY),
      previousSecret: null,
      previousEndsAt: null,
      state: 'active',
      stateReason: null,
      createdAt: toTimestamp(this.now),
      updatedAt: toTimestamp(this.now),
      ...fields,
    };
    await this.storage.transaction(async (tx) => {
      await lockDestinations(tx);
      await addDestination(tx, this.#origin, destination);
    });
    return destinationId;
  }

  /** Changes the products of a destination. */
  async setProducts(destinationId: string, productIds: readonly string[] | null): Promise<void> {
    await this.storage.transaction(async (tx) => {
      await lockDestinations(tx);
      await tx.run(setProducts, destinationId, JSON.stringify(productIds));
      await noteChange(tx, destinationId);
    });
  }

  /** Changes the URL of a destination. */
  async setUrl(destinationId: string, url: string): Promise<void> {
    await this.storage.transaction(async (tx) => {
      await lockDestinations(tx);
      await tx.run(setUrl, destinationId, url);
      await noteChange(tx, destinationId);
    });
  }

  /** Requests a test of a destination. */
  async test(destinationId: string): Promise<void> {
    const eventId = mintEventId(this.now);
    await this.storage.transaction((tx) => addTest(tx, { destinationId, eventId, type: 'ping' }, this.now));
  }

  /** Deletes a destination. */
  async remove(destinationId: string): Promise<void> {
    await this.storage.transaction(async (tx) => {
      await lockDestinations(tx);
      const found = await findDestination(tx, destinationId, { creatorId: null });
      assert.ok(found !== undefined);
      await removeDestination(tx, this.#origin, found);
    });
  }

  /** Changes the state of a destination, as pausing and resuming do. */
  async setState(destinationId: string, state: Destination['state']): Promise<void> {
    await this.storage.transaction(async (tx) => {
      await lockDestinations(tx);
      await tx.run(setState, destinationId, state);
      await noteChange(tx, destinationId);
    });
  }

  /**
   * Records events of these licenses in rotation, all in one transaction.
   *
   * @param creatorId the owner; without one only destinations of the operator receive them
   * @param productId the product of the licenses
   */
  async record(
    total: number,
    licenses: readonly string[] = ['A', 'B', 'C'],
    creatorId: string | null = null,
    productId: string | null = null,
  ): Promise<void> {
    const origin = this.#origin;
    const changes = Array.from({ length: total }, () => {
      const licenseKey = licenses[this.#eventNumber++ % licenses.length] ?? 'A';
      const number = (this.#numbers.get(licenseKey) ?? 0) + 1;
      this.#numbers.set(licenseKey, number);
      return {
        ...{ type: 'license.updated' as const, licenseKey, licenseNumber: number, subject: licenseKey },
        ...{ creatorId, productId, before: {}, after: {}, origin },
      };
    });
    await this.storage.transaction((tx) => recordChanges(tx, changes));
  }

  /**
   * Creates a separate sender, like that of another node. `store` wraps its database; `answer` replaces the answers of
   * the receivers, as this node sees them; `key` is its key of secrets.
   */
  sender(
    bounds: Partial<SenderBounds> = {},
    store: (real: DeliveryStore) => DeliveryStore = (real) => real,
    answer: SendingWorld['answer'] | null = null,
    key = KEY,
  ): Sender {
    const clock = () => this.now;
    const time = { believableNow: clock, steadyNow: clock };
    const real = { ...readDeliveries(this.storage, clock), ...writeDeliveries(this.storage, clock, time) };
    const hear = (name: keyof SenderListeners) => () => void this.heard.push(name);
    return new Sender({
      store: store(real),
      send: (request) => this.#send(request, answer ?? this.answer),
      addresses: { of: ({ hostname }) => [hostname], putLast: () => {} },
      ...this.network,
      clock,
      elapsed: () => this.elapsed,
      random: () => 0.5,
      userAgent: 'Latchkey/test',
      secretsOf: (destination, now) => secretsOf(destination, key, now),
      bounds: { ...SENDER_BOUNDS, saveIntervalMs: 0, restsAfterMs: 0, betweenTriesOfHostMs: 0, ...bounds },
      on: {
        attempted: () => {},
        failing: hear('failing'),
        back: hear('back'),
        disabled: hear('disabled'),
        failed: hear('failed'),
        clockDiffers: hear('clockDiffers'),
        heldBack: hear('heldBack'),
      },
    });
  }

  /** Repeats looks until no work is left at the current time. */
  async drain(...senders: readonly Sender[]): Promise<void> {
    await this.#drain(senders, 2);
  }

  async #drain(senders: readonly Sender[], quietLooks: number): Promise<void> {
    for (let quiet = 0; quiet < quietLooks; ) {
      const before = this.sent.length;
      for (const sender of senders) {
        this.elapsed += 100;
        await sender.look();
        while (sender.state.underWay > 0) await sender.requestEnds();
      }
      quiet = this.sent.length === before ? quiet + 1 : 0;
    }
  }

  /** Records events, as {@link record} does, and drains a sender. */
  async recordAndDrain(sender: Sender, ...recorded: Parameters<SendingWorld['record']>): Promise<void> {
    await this.record(...recorded);
    await this.drain(sender);
  }

  /** Moves the clock in steps, and drains after each. */
  async pass(milliseconds: number, sender: Sender, step = MINUTE_MS): Promise<void> {
    for (const end = this.now + milliseconds; this.now < end; ) {
      this.now = Math.min(end, this.now + step);
      await this.#drain([sender], 1);
    }
    await this.drain(sender);
  }

  async count(what: keyof typeof counts): Promise<number> {
    return (await this.storage.read((sql) => sql.first<{ count: number }>(counts[what])))?.count ?? 0;
  }

  /** Requests that were delivered. */
  delivered(host?: string): SentEvent[] {
    return this.sent.filter((each) => each.outcome === 'delivered' && (host === undefined || each.host === host));
  }

  async #send({ url, body, headers }: AttemptRequest, answer: SendingWorld['answer']): Promise<AttemptResult> {
    const event = JSON.parse(body);
    const sent = {
      host: new URL(url).host,
      id: headers['webhook-id'] ?? '',
      type: event.type,
      licenseKey: event.data.subject ?? '',
      number: event.data.number,
      at: this.now,
    };
    const place = this.sent.push({ ...sent, outcome: 'under way' }) - 1;
    const plain = { outcome: 'delivered', status: null, durationMs: 5, certificateFault: null, receiverTime: null };
    const result = { ...plain, ...(await answer(sent)) } as AttemptResult;
    this.sent[place] = { ...sent, outcome: result.outcome };
    return result;
  }
}
