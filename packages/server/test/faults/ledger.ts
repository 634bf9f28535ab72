/**
 * A load that knows at every moment which data the service owes it. Each call is repeated until its reply is final, at
 * any node, with the same Idempotency-Key where the endpoint takes one. So no outcome stays unknown: every acknowledged
 * change must be there once, with one event, and nothing else may be there.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/storage/contract/database.ts';
import { StoredRows } from '../platform/events/stored-changes.ts';
import { ADMIN_SECRET, type Answer, type SendOptions } from '../support/app.ts';
import type { ServerProcess } from '../support/server-process.ts';

/** Number of concurrent calls. */
const WORKERS = 16;
const MACHINES_PER_LICENSE = 5;
/** Fewer than the machines that want a slot, so that the limit is tested all the time. */
const MACHINE_LIMIT = 3;
/** Activation calls per license: below the limit of 15 per hour, which other tests cover. */
const ATTEMPTS_PER_LICENSE = 10;
/** Licenses that calls choose from, the newest: many workers meet there. */
const LICENSES_IN_USE = 25;
/** Machines that activate at once where exactly {@link RUSH_LIMIT} may. */
const RUSH = 12;
const RUSH_LIMIT = 5;
/** Pause before a call is repeated that got no reply or a 503. */
const REPEAT_AFTER_MS = 25;

/** A service that has sent no reply for this long is considered dead. */
const LONGEST_SILENCE_MS = 60_000;

/** A target of calls. */
export type Node = Pick<ServerProcess, 'send'>;

/** The present nodes; they may change at any time. */
export type Nodes = () => readonly Node[];

/** A number from 0 below `bound`. */
export type Random = (bound: number) => number;

interface Machine {
  readonly fingerprint: string;
  isBound: boolean;
  token: string;
  /** A call about this machine is in flight; there is never more than one. */
  isBusy: boolean;
}

interface License {
  readonly key: string;
  readonly machines: readonly Machine[];
  attempts: number;
  /** A worker is revoking or reinstating it; the others leave it alone meanwhile. */
  isBusy: boolean;
  /** Events that it must have, by type. */
  readonly events: Map<string, number>;
  /** Its calls and acknowledged changes in order, for the message of a failure. */
  readonly trace: string[];
}

/** Contents of a ledger. */
export interface LedgerReport {
  readonly licenses: number;
  /** Acknowledged changes, each of which has exactly one event. */
  readonly changes: number;
  /** Calls that were sent again because there was no reply, or a 503. */
  readonly repeats: number;
  /** The longest time without any acknowledged call while the load ran, in milliseconds. */
  readonly longestSilenceMs: number;
}

/** See the head of this file. */
export class Ledger {
  readonly #nodes: Nodes;
  readonly #random: Random;
  readonly #mailed: ((mailId: string) => void) | null;
  readonly #licenses: License[] = [];
  #calls = 0;
  #changes = 0;
  #repeats = 0;
  #answeredAt = 0;
  #longestSilenceMs = 0;
  #isRunning = false;
  #workers: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  /** Number of pending calls of each node. */
  readonly #underWay = new Map<Node, number>();

  /**
   * @param random source of random choices; the same seed gives the same choices
   * @param mailed told of each e-mail that the service has queued; null: no key is mailed
   */
  constructor(nodes: Nodes, random: Random, mailed: ((mailId: string) => void) | null = null) {
    this.#nodes = nodes;
    this.#random = random;
    this.#mailed = mailed;
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

  /** Starts the calls. */
  start(): void {
    this.#isRunning = true;
    this.#answeredAt = performance.now();
    this.#workers = Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
    // The pause awaits it.
    this.#workers.catch(() => {});
  }

  /**
   * Ends the calls once every reply is final.
   *
   * @throws when a reply was not permitted
   */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await this.#workers;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends the calls at once. Their outcomes stay unknown, so nothing can be compared afterwards. */
  async abandon(): Promise<void> {
    this.#isRunning = false;
    this.#failure ??= new Error('the load was abandoned');
    await this.#workers;
  }

  /**
   * Waits until this many more changes have been acknowledged.
   *
   * @throws as {@link pause} does, and when no reply arrives for so long that the service will not recover by itself
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
   * Compares everything with the replies of the service and with the stored rows, while the load is paused, and sends a
   * license more machines at once than it has room for.
   *
   * @param database where everything is stored, or a function that finds it once nothing is written any more
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
    if (this.#licenses.length < LICENSES_IN_USE || this.#random(12) === 0) return void (await this.#create());
    const newest = Math.min(LICENSES_IN_USE, this.#licenses.length);
    const license = this.#licenses[this.#licenses.length - 1 - this.#random(newest)]!;
    if (this.#random(10) === 0) return this.#revokeAndReinstate(license);
    if (this.#mailed !== null && this.#random(10) === 0) return this.#mail(license, this.#mailed);
    const machine = license.machines[this.#random(MACHINES_PER_LICENSE)]!;
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
      trace: [],
    };
    this.#note(license, 'license.created');
    this.#licenses.push(license);
    return license;
  }

  /** The machine is marked as busy. A second attempt after one that may have been stored binds the machine once. */
  async #bind(license: License, machine: Machine): Promise<boolean> {
    license.attempts += 1;
    const { status, body } = await this.#untilFinal('/activate', activationOf(license, machine));
    if (status !== 200) {
      // Repeats count as attempts, too: for a license that used up its hour only the stored rows are known.
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
    // The token has expired by the clock of this node; another node may have stored the first try.
    if (status === 401) machine.token = '';
    if (status === 401 && (await this.#isStored(license, machine))) return;
    if (status === 401) {
      machine.isBound = false;
      return this.#note(license, 'activation.deleted');
    }
    // If the first try was stored and its reply lost, a repeat finds nothing.
    assert.ok(
      status === 200 || (status === 404 && isRepeat),
      `${status} ${JSON.stringify(body)} to ${machine.fingerprint} of ${license.key}: ${license.trace.join('\n')}`,
    );
    machine.isBound = false;
    this.#note(license, 'activation.deleted');
  }

  /** Activates a bound machine again, as an app does after its token was refused. */
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

  /** The key of a license is mailed three times a day at most. */
  async #mail({ key }: License, mailed: (mailId: string) => void): Promise<void> {
    const { status, body } = await this.#once('/mailLicense', { licenseKey: key });
    if (status === 200) mailed(body.mailId);
    else assert.equal(status, 429, JSON.stringify(body));
  }

  /** Only while none of its machines is in use, so that every other reply about it is predictable. */
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

  /** Activates many machines at once, at all nodes: exactly as many succeed as the limit permits. */
  async #rush(): Promise<void> {
    const license = await this.#create(RUSH_LIMIT, RUSH);
    const bound = await Promise.all(license.machines.map((machine) => this.#bind(license, machine)));
    assert.equal(bound.filter(Boolean).length, RUSH_LIMIT, 'machines that were let in at once');
  }

  /** Adds a call to the trace of its license. */
  #trace(path: string, fields: object, answer: Answer | undefined): void {
    const { licenseKey, machineFingerprint = '' } = fields as { licenseKey?: string; machineFingerprint?: string };
    const license = this.#licenses.find(({ key }) => key === licenseKey);
    const reply = answer === undefined ? 'no reply' : `${answer.status} ${answer.body.error ?? ''}`;
    const line = `${path} ${machineFingerprint}: ${reply}`;
    // A call is repeated every 25 ms while the service is away.
    if (license?.trace.at(-1) !== line) license?.trace.push(line);
  }

  #note(license: License, event: string): void {
    this.#changes += 1;
    license.trace.push(event);
    license.events.set(event, (license.events.get(event) ?? 0) + 1);
  }

  /** A call of the operator that acts once, however often it has to be sent. */
  #once(path: string, fields: object): Promise<Answer> {
    this.#calls += 1;
    return this.#untilFinal(path, { adminSecret: ADMIN_SECRET, ...fields }, `call-${this.#calls}`);
  }

  /** The first final reply to a call, and whether the call was sent more than once. */
  async #untilFinal(path: string, fields: object, key?: string): Promise<Answer & { isRepeat: boolean }> {
    const options = key === undefined ? {} : { headers: { 'idempotency-key': key } };
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#send(path, fields, options);
      this.#trace(path, fields, answer);
      if (answer !== undefined && answer.status !== 503) {
        const now = performance.now();
        if (this.#isRunning) this.#longestSilenceMs = Math.max(this.#longestSilenceMs, now - this.#answeredAt);
        this.#answeredAt = now;
        assert.notEqual(answer.status, 500, `${path} failed: ${JSON.stringify(answer.body)}`);
        return { ...answer, isRepeat: tries > 1 };
      }
      this.#repeats += 1;
      // The load has failed: a repeat would never get a final reply.
      if (this.#failure !== undefined) throw this.#failure;
      await wait(REPEAT_AFTER_MS);
    }
  }

  /**
   * Calls the node with the fewest pending calls, as a load balancer does: a frozen node gets its share of the pending
   * calls and no more, so the others always have calls. Returns undefined when no reply came.
   */
  async #send(path: string, fields: object, options: SendOptions): Promise<Answer | undefined> {
    const nodes = this.#nodes();
    const waiting = (node: Node) => this.#underWay.get(node) ?? 0;
    const fewest = Math.min(...nodes.map(waiting));
    const idlest = nodes.filter((node) => waiting(node) === fewest);
    const node = idlest[this.#random(Math.max(1, idlest.length))];
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
    return (await this.#machinesOf(key)).bound.includes(fingerprint);
  }

  /** The bound machines and their count, which may be of two moments while other calls change the license. */
  async #machinesOf(key: string): Promise<{ readonly bound: readonly string[]; readonly count: number }> {
    const fields = { adminSecret: ADMIN_SECRET, licenseKey: key };
    const { status, body } = await this.#untilFinal('/getLicense', fields);
    assert.equal(status, 200, `the license ${key} is gone`);
    const bound = (body.activations as { fingerprint: string }[]).map((each) => each.fingerprint);
    return { bound, count: body.activationCount };
  }

  async #checkLicense(license: License): Promise<void> {
    const expected = license.machines.filter(({ isBound }) => isBound).map(({ fingerprint }) => fingerprint);
    const { bound, count } = await this.#machinesOf(license.key);
    assert.equal(count, bound.length, `machines are miscounted on ${license.key}`);
    assert.deepEqual(bound.toSorted(), expected.toSorted(), `machines of ${license.key}`);
    const { status, body } = await this.#untilFinal('/verify', { licenseKey: license.key, productId: 'app' });
    assert.deepEqual([status, body.machinesUsed], [200, expected.length], `${license.key} verified`);
  }

  /** Every stored license was acknowledged, and its events match its acknowledged changes. */
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
    const storedOf = (key: string) =>
      [...event.values()]
        .filter((row) => row.license_key === key)
        .map((row) => `${row.occurred_at} ${row.type} ${row.subject}`)
        .join('\n');
    for (const { key, events, trace } of this.#licenses)
      for (const type of COUNTED_EVENTS)
        assert.equal(
          counts.get(`${key} ${type}`) ?? 0,
          events.get(type) ?? 0,
          `events ${type} of ${key}: ${trace.join('\n')}\n${storedOf(key)}`,
        );
  }
}

function activationOf({ key: licenseKey }: License, { fingerprint: machineFingerprint }: Machine) {
  return { licenseKey, machineFingerprint, hostname: 'host', productId: 'app' };
}

const COUNTED_EVENTS = [
  ...['license.created', 'license.revoked', 'license.reinstated'],
  ...['activation.created', 'activation.deleted'],
] as const;
