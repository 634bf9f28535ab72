/**
 * A destination whose events a run checks. Every committed event arrives, no other one, in the order of its license. An
 * event that the database counts as settled never arrives again.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { EventType } from '../../src/platform/events/event-types.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { includesType } from '../../src/webhooks/destinations/destination.ts';
import { ADMIN_SECRET } from './app.ts';
import { mustSucceed } from './creator.ts';
import { rowsOf } from './own-connection.ts';
import type { SendingPlan } from './sending-service.ts';
import { SeparateReceiver } from './separate-receiver.ts';
import type { ServerProcess } from './server-process.ts';

const PATH = '/hook';
const TYPES = ['*'];
const LEASE_MS = 1_000;
/** Arrivals may take so long on a busy machine, and while a service waits for its database. */
const LONGEST_SILENCE_MS = 90_000;
const LOOK_MS = 20;

/** Events that are not settled in the database: after the position, or waiting. */
const UNSETTLED = `select f.event_id as id from event_feed f, destination_progress p where f.place > p.position
  union select d.event_id as id from delivery d where d.state = 'waiting'`;
const EVENTS = 'select e.event_id as id, e.type as type from event e';

interface StoredEvent {
  readonly id: string;
  readonly type: EventType;
}

/** The events that arrived. */
export interface SentReport {
  readonly events: number;
  /** Events that arrived more than once. */
  readonly repeated: number;
}

/** See the head of this file. */
export class SentEvents {
  readonly receiver: SeparateReceiver;
  /** Events that were not settled when a process died, and so may arrive again. */
  readonly #mayRepeat = new Set<string>();
  #destinationId: string | null = null;

  readonly #leaseMs: number;

  private constructor(receiver: SeparateReceiver, leaseMs: number) {
    this.receiver = receiver;
    this.#leaseMs = leaseMs;
  }

  /** @param leaseMs a crash delays sending by this long at most; a node that stands still for longer is replaced */
  static async start(leaseMs = LEASE_MS): Promise<SentEvents> {
    return new SentEvents(await SeparateReceiver.start(['127.1.0.1']), leaseMs);
  }

  /** The program of the service, and its argument. */
  get program(): [string, string] {
    return this.programWith({});
  }

  /** The same with further bounds. */
  programWith(more: Pick<SendingPlan, 'mailSender'>): [string, string] {
    const plan: SendingPlan = { addresses: this.receiver.addresses, sender: { leaseMs: this.#leaseMs }, ...more };
    return ['../test/support/sending-service.ts', JSON.stringify(plan)];
  }

  /** Additional configuration of the service. */
  get environment(): Readonly<Record<string, string>> {
    return { LATCHKEY_DELIVERY_CA_FILE: this.receiver.caFile, LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests' };
  }

  /** Creates the destination before the first change. */
  async createAt(server: Pick<ServerProcess, 'send'>): Promise<void> {
    if (this.#destinationId !== null) return;
    const fields = { url: this.receiver.url(PATH), types: TYPES, requestsPerSecond: 500 };
    const call = server.send('/createDestination', { adminSecret: ADMIN_SECRET, ...fields });
    const { destinationId, secret } = await mustSucceed(call);
    this.#destinationId = destinationId;
    await this.receiver.check(PATH, secret);
  }

  /** Resumes the destination if it is paused. */
  async resumeAt(server: Pick<ServerProcess, 'send'>): Promise<void> {
    const fields = { adminSecret: ADMIN_SECRET, destinationId: this.#destinationId };
    const { destination } = await mustSucceed(server.send('/getDestination', fields));
    if (destination.state === 'paused') await mustSucceed(server.send('/resumeDestination', fields));
  }

  /** Resolves once this many more events have arrived, or when the service has ended. */
  async arrive(more: number, ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const enough = (await this.receiver.count(PATH)).events + more;
    while (!isOver && (await this.receiver.count(PATH)).events < enough) await wait(LOOK_MS);
  }

  /**
   * Notes the events that may arrive again after the death of all processes: those that arrived and are not settled.
   * Returns their number.
   */
  async noteDeath(database: Database): Promise<number> {
    // Requests that were under way have arrived once their connections are closed.
    while ((await this.receiver.count(PATH)).open > 0) await wait(LOOK_MS);
    const unsettled = (await rowsOf<StoredEvent>(database, UNSETTLED)).map(({ id }) => id);
    const arrived = await this.receiver.among(PATH, unsettled);
    for (const id of arrived) this.#mayRepeat.add(id);
    return arrived.length;
  }

  /**
   * Notes the events that may arrive again while a node stands still or is cut off: every event that is not settled.
   */
  async noteSilence(database: Database): Promise<void> {
    for (const { id } of await rowsOf<StoredEvent>(database, UNSETTLED)) this.#mayRepeat.add(id);
  }

  /** Resolves once every event is settled. */
  async settle(database: Database): Promise<void> {
    while ((await rowsOf<StoredEvent>(database, UNSETTLED)).length > 0) await wait(LOOK_MS);
  }

  /** Has the receiver keep back its answers, or give them. */
  async hold(isHeld: boolean): Promise<void> {
    await this.receiver.behave(PATH, { isHeld });
  }

  /** Returns the number of requests whose answers are kept back. */
  async held(): Promise<number> {
    return (await this.receiver.count(PATH)).held;
  }

  /**
   * Waits until every event has arrived, and compares.
   *
   * @param areRepeatsKnown false if a process may have lost what it had not saved without {@link noteDeath}
   */
  async check(database: Database, areRepeatsKnown = true): Promise<SentReport> {
    const stored = (await rowsOf<StoredEvent>(database, EVENTS)).filter(({ type }) => includesType(TYPES, type));
    const { unverified, disordered } = await this.receiver.hasEvents(PATH, stored.length, LONGEST_SILENCE_MS);
    const arrived = await this.receiver.arrived(PATH);
    const ids = arrived.map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), stored.map(({ id }) => id).toSorted(), 'the events that arrived');
    assert.deepEqual([unverified, disordered], [0, 0], 'events with a wrong signature, and out of order');
    const repeated = arrived.filter(({ repeats }) => repeats > 0);
    const wrong = repeated.filter(({ id }) => !this.#mayRepeat.has(id));
    if (areRepeatsKnown) assert.deepEqual(wrong, [], 'events that arrived again although they were settled');
    return { events: arrived.length, repeated: repeated.length };
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }
}
