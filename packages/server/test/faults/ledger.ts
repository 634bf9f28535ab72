/**
 * A load that knows at every moment what the service owes it. Each call is repeated until its answer is final, at whatever
 * node answers, with the same Idempotency-Key where the endpoint takes one. So nothing stays unknown: whatever was
 * acknowledged must be there once, with one event for each change, and nothing else may be there.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/storage/open.ts';
import { StoredRows } from '../events/stored-changes.ts';
import { ADMIN_SECRET, type Answer, type SendOptions } from '../support/app.ts';
import type { ServerProcess } from '../support/server-process.ts';

/** How much is under way at once. */
const WORKERS = 16;
const MACHINES_PER_LICENSE = 5;
/** Fewer machines than want in, so that the limit is at stake all the time. */
const MACHINE_LIMIT = 3;
/** Activation calls that a license gets: below the 15 per hour, which are not what this is about. */
const ATTEMPTS_PER_LICENSE = 10;
/** Licenses that calls choose from, the newest: many workers meet there. */
const LICENSES_IN_USE = 25;
/** Machines that want in at once where exactly {@link RUSH_LIMIT} may. */
const RUSH = 12;
const RUSH_LIMIT = 5;
/** Before a call is repeated that was not answered, or with 503. */
const REPEAT_AFTER_MS = 25;

/** A service that has not answered a single call for so long is not expected to any more. */
const LONGEST_SILENCE_MS = 60_000;

/** Where calls go. */
export type Node = Pick<ServerProcess, 'send'>;

/** Which nodes there are; they may change at any time. */
export type Nodes = () => readonly Node[];

/** A number from 0 below `bound`. */
export type Chance = (bound: number) => number;

interface Machine {
  readonly fingerprint: string;
  isBound: boolean;
  token: string;
  /** A call about this machine is under way; there is never more than one. */
  isBusy: boolean;
}

interface License {
  readonly key: string;
  readonly machines: readonly Machine[];
  attempts: number;
  /** Somebody is revoking or reinstating it; nobody else uses it meanwhile. */
  isBusy: boolean;
  /** Events that it must have, by type. */
  readonly events: Map<string, number>;
}

/** What a ledger holds. */
export interface LedgerReport {
  readonly licenses: number;
  /** Acknowledged changes, each of which has exactly one event. */
  readonly changes: number;
  /** Calls that were sent again because there was no answer, or 503. */
  readonly repeats: number;
  /** The longest time without any acknowledged call while the load ran, in milliseconds. */
  readonly longestSilenceMs: number;
}

/** See the head of this file. */
export class Ledger {
  readonly #nodes: Nodes;
  readonly #chance: Chance;
  readonly #licenses: License[] = [];
  #calls = 0;
  #changes = 0;
  #repeats = 0;
  #answeredAt = 0;
  #longestSilenceMs = 0;
  #isRunning = false;
  #workers: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  /** How many calls each node has yet to answer. */
  readonly #underWay = new Map<Node, number>();

  /** @param chance what the load is made by; one with a seed makes the same choices again */
  constructor(nodes: Nodes, chance: Chance) {
    this.#nodes = nodes;
    this.#chance = chance;
  }

  report(): LedgerReport {
    const { length } = this.#licenses;
    return {
      licenses: length,
      changes: this.#changes,
      repeats: this.#repeats,
      longestSilenceMs: Math.round(this.#longestSilenceMs),
    };
  }

  /** Begins to call. */
  start(): void {
    this.#isRunning = true;
    this.#answeredAt = performance.now();
    this.#workers = Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
    // It is awaited when the load is paused.
    this.#workers.catch(() => {});
  }

  /** Ends the calls once every answer is final. @throws when an answer was not one that may be given */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await this.#workers;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Waits until so many changes more have been acknowledged.
   *
   * @throws as {@link pause} does, and when nothing is answered for so long that the service will not come back by itself
   */
  async untilChanged(more: number): Promise<void> {
    const enough = this.#changes + more;
    while (this.#changes < enough && this.#failure === undefined) {
      await wait(5);
      if (performance.now() - this.#answeredAt > LONGEST_SILENCE_MS)
        this.#failure = new Error('the service does not answer any more');
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Compares everything with what the service says and with what is stored, while the load is paused, and lets more
   * machines into a license at once than it has room for.
   *
   * @param database where everything is stored, or how to find it once nothing is written any more
   */
  async check(database: Database | (() => Database)): Promise<void> {
    await this.#rush();
    let next = 0;
    const work = async () => {
      for (let license = this.#licenses[next++]; license !== undefined; license = this.#licenses[next++])
        await this.#checkLicense(license);
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    await this.#checkStored(typeof database === 'function' ? database() : database);
  }

  async #work(): Promise<void> {
    try {
      while (this.#isRunning && this.#failure === undefined) await this.#act();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  async #act(): Promise<void> {
    if (this.#licenses.length < LICENSES_IN_USE || this.#chance(12) === 0) return void (await this.#create());
    const newest = Math.min(LICENSES_IN_USE, this.#licenses.length);
    const license = this.#licenses[this.#licenses.length - 1 - this.#chance(newest)]!;
    if (this.#chance(10) === 0) return this.#revokeAndReinstate(license);
    const machine = license.machines[this.#chance(MACHINES_PER_LICENSE)]!;
    if (machine.isBusy || license.isBusy) return wait(1);
    machine.isBusy = true;
    if (machine.isBound) await this.#unbind(license, machine);
    else if (license.attempts < ATTEMPTS_PER_LICENSE) await this.#bind(license, machine);
    else await this.#verify(license);
    machine.isBusy = false;
  }

  async #create(maxMachines = MACHINE_LIMIT, machines = MACHINES_PER_LICENSE): Promise<License> {
    const number = this.#calls;
    const fields = { email: `order-${number}@example.com`, productId: 'app', maxMachines };
    const { status, body } = await this.#once('/createLicense', fields);
    assert.equal(status, 200, JSON.stringify(body));
    const license: License = {
      key: body.licenseKey,
      machines: Array.from({ length: machines }, (_, index) => ({
        fingerprint: `machine-${index}`,
        isBound: false,
        token: '',
        isBusy: false,
      })),
      attempts: 0,
      isBusy: false,
      events: new Map(),
    };
    this.#note(license, 'license.created');
    this.#licenses.push(license);
    return license;
  }

  /** With the machine marked as busy. Another attempt after one that may have been kept binds the machine once. */
  async #bind(license: License, machine: Machine): Promise<boolean> {
    license.attempts += 1;
    const { status, body } = await this.#untilFinal('/activate', activationOf(license, machine));
    if (status !== 200) {
      // Repeats are attempts as well: of a license that used up its hour nothing is known but what is stored.
      if (status === 429) machine.isBound = await this.#isStored(license, machine);
      else assert.equal(status, 403, JSON.stringify(body));
      if (machine.isBound) this.#note(license, 'activation.created');
      if (status === 429) license.attempts = ATTEMPTS_PER_LICENSE;
      return machine.isBound;
    }
    assert.ok(body.machinesUsed <= Math.max(MACHINE_LIMIT, RUSH_LIMIT), `${body.machinesUsed} machines`);
    machine.isBound = true;
    machine.token = body.token;
    this.#note(license, 'activation.created');
    return true;
  }

  async #unbind(license: License, machine: Machine): Promise<void> {
    if (machine.token === '') return this.#renewToken(license, machine);
    const fields = { licenseKey: license.key, machineFingerprint: machine.fingerprint, token: machine.token };
    const { status, body, isRepeat } = await this.#untilFinal('/deactivate', fields);
    // By the clock of this node the token has expired; the first try may have been kept by another one.
    if (status === 401) machine.token = '';
    if (status === 401 && (await this.#isStored(license, machine))) return;
    if (status === 401) {
      machine.isBound = false;
      return this.#note(license, 'activation.deleted');
    }
    // Where the first try was kept and not answered, a repeat finds nothing.
    assert.ok(status === 200 || (status === 404 && isRepeat), `${status} ${JSON.stringify(body)}`);
    machine.isBound = false;
    this.#note(license, 'activation.deleted');
  }

  /** Of a machine that is bound, as apps do whose token is not taken any more. */
  async #renewToken(license: License, machine: Machine): Promise<void> {
    if (license.attempts >= ATTEMPTS_PER_LICENSE) return wait(1);
    license.attempts += 1;
    const { status, body } = await this.#untilFinal('/activate', activationOf(license, machine));
    assert.ok(status === 200 || status === 429, JSON.stringify(body));
    if (status === 200) machine.token = body.token;
    else license.attempts = ATTEMPTS_PER_LICENSE;
  }

  async #verify({ key }: License): Promise<void> {
    const { status, body } = await this.#untilFinal('/verify', { licenseKey: key, productId: 'app' });
    assert.ok(status === 200 || status === 403, JSON.stringify(body));
    if (status === 200) assert.ok(body.machinesUsed <= Math.max(MACHINE_LIMIT, RUSH_LIMIT));
  }

  /** Only while no machine of it is in use, so that every other answer about it is foreseeable. */
  async #revokeAndReinstate(license: License): Promise<void> {
    if (license.isBusy || license.machines.some(({ isBusy }) => isBusy)) return wait(1);
    license.isBusy = true;
    for (const [path, event] of [
      ['/revokeLicense', 'license.revoked'],
      ['/reinstateLicense', 'license.reinstated'],
    ] as const) {
      const { status, body } = await this.#once(path, { licenseKey: license.key });
      assert.equal(status, 200, JSON.stringify(body));
      this.#note(license, event);
    }
    license.isBusy = false;
  }

  /** So many machines at once, at all nodes: exactly as many get in as may. */
  async #rush(): Promise<void> {
    const license = await this.#create(RUSH_LIMIT, RUSH);
    const bound = await Promise.all(license.machines.map((machine) => this.#bind(license, machine)));
    assert.equal(bound.filter(Boolean).length, RUSH_LIMIT, 'machines that were let in at once');
  }

  #note(license: License, event: string): void {
    this.#changes += 1;
    license.events.set(event, (license.events.get(event) ?? 0) + 1);
  }

  /** A call of the operator that acts once, however often it has to be sent. */
  #once(path: string, fields: object): Promise<Answer> {
    this.#calls += 1;
    return this.#untilFinal(path, { adminSecret: ADMIN_SECRET, ...fields }, `call-${this.#calls}`);
  }

  /** The first answer that says what came of a call, and whether it was sent more than once. */
  async #untilFinal(path: string, fields: object, key?: string): Promise<Answer & { isRepeat: boolean }> {
    const options = key === undefined ? {} : { headers: { 'idempotency-key': key } };
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#send(path, fields, options);
      if (answer !== undefined && answer.status !== 503) {
        const now = performance.now();
        if (this.#isRunning) this.#longestSilenceMs = Math.max(this.#longestSilenceMs, now - this.#answeredAt);
        this.#answeredAt = now;
        assert.notEqual(answer.status, 500, `${path} failed: ${JSON.stringify(answer.body)}`);
        return { ...answer, isRepeat: tries > 1 };
      }
      this.#repeats += 1;
      // It was given up: nothing that is asked again would ever be answered.
      if (this.#failure !== undefined) throw this.#failure;
      await wait(REPEAT_AFTER_MS);
    }
  }

  /**
   * Asks the node that has the fewest calls to answer, as a load balancer does: a node that stands still gets its share of
   * what is under way and no more, so the others are never without calls. Answers undefined where no answer came.
   */
  async #send(path: string, fields: object, options: SendOptions): Promise<Answer | undefined> {
    const nodes = this.#nodes();
    const waiting = (node: Node) => this.#underWay.get(node) ?? 0;
    const fewest = Math.min(...nodes.map(waiting));
    const idlest = nodes.filter((node) => waiting(node) === fewest);
    const node = idlest[this.#chance(Math.max(1, idlest.length))];
    if (node === undefined) return undefined;
    this.#underWay.set(node, fewest + 1);
    try {
      return await node.send(path, fields, options);
    } catch {
      return undefined;
    } finally {
      this.#underWay.set(node, waiting(node) - 1);
    }
  }

  async #isStored({ key }: License, { fingerprint }: Machine): Promise<boolean> {
    return (await this.#boundOf(key)).includes(fingerprint);
  }

  async #boundOf(key: string): Promise<string[]> {
    const fields = { adminSecret: ADMIN_SECRET, licenseKey: key };
    const { status, body } = await this.#untilFinal('/getLicense', fields);
    assert.equal(status, 200, `the license ${key} is gone`);
    const bound = (body.activations as { fingerprint: string }[]).map((each) => each.fingerprint);
    assert.equal(body.activationCount, bound.length, `machines are miscounted on ${key}`);
    return bound;
  }

  async #checkLicense(license: License): Promise<void> {
    const expected = license.machines.filter(({ isBound }) => isBound).map(({ fingerprint }) => fingerprint);
    assert.deepEqual((await this.#boundOf(license.key)).toSorted(), expected.toSorted(), `machines of ${license.key}`);
    const { status, body } = await this.#untilFinal('/verify', { licenseKey: license.key, productId: 'app' });
    assert.deepEqual([status, body.machinesUsed], [200, expected.length], `${license.key} verified`);
  }

  /** Every license that is stored is one that was acknowledged, and its events are its acknowledged changes. */
  async #checkStored(database: Database): Promise<void> {
    const stored = await StoredRows.of(database);
    const { license, event } = await stored.snapshot();
    await stored.close();
    const keys = [...license.values()].map((row) => String(row.license_key));
    assert.deepEqual(keys.toSorted(), this.#licenses.map(({ key }) => key).toSorted(), 'the licenses that are stored');
    const counts = new Map<string, number>();
    for (const { license_key, type } of event.values()) {
      const name = `${license_key} ${type}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const { key, events } of this.#licenses)
      for (const type of COUNTED_EVENTS)
        assert.equal(counts.get(`${key} ${type}`) ?? 0, events.get(type) ?? 0, `events ${type} of ${key}`);
  }
}

function activationOf({ key: licenseKey }: License, { fingerprint: machineFingerprint }: Machine) {
  return { licenseKey, machineFingerprint, hostname: 'host', productId: 'app' };
}

const COUNTED_EVENTS = [
  ...['license.created', 'license.revoked', 'license.reinstated'],
  ...['activation.created', 'activation.deleted'],
] as const;
