/** The calls that a service has acknowledged under load, for checks after a failure. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../../test/support/app.ts';
import type { ServerProcess } from '../../test/support/server-process.ts';

/** An acknowledged license with its acknowledged machines. */
export interface Issued {
  readonly licenseKey: string;
  readonly fingerprints: readonly string[];
}

/** Something acknowledged is missing, or something exists that was never requested. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

const MACHINES_PER_LICENSE = 2;
/** Delay before repeating a call without a response or with 503. */
const REPEAT_AFTER_MS = 50;
/** Maximum time without an acknowledged call, after which the service counts as down. */
const LONGEST_SILENCE_MS = 60_000;

/** Number of licenses read concurrently for a comparison. */
const READ_AT_ONCE = 16;

/** Reaction to a call without a response or with 503: stop this worker, or send the call to the next node. */
type Unanswered = 'end' | 'repeat';

/** A call got no response and will not be repeated. */
class NotAnswered extends Error {}

/** An acknowledged license with its order. */
interface Entry {
  readonly idempotencyKey: string;
  readonly machines: string[];
}

/** Calls one or more nodes over several connections and records the acknowledged calls. */
export class Ledger {
  readonly #licenses = new Map<string, Entry>();
  readonly #adminSecret: string;
  #nodes: readonly ServerProcess[] = [];
  #unanswered: Unanswered = 'end';
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  #calls = 0;
  #repeats = 0;
  #acknowledgedAt = 0;

  constructor(adminSecret: string) {
    this.#adminSecret = adminSecret;
  }

  /**
   * Starts to issue licenses and activate machines, on the nodes in rotation.
   *
   * @param unanswered with `end`, a worker stops by itself when a node no longer responds
   */
  begin(nodes: readonly ServerProcess[], workers: number, unanswered: Unanswered): void {
    this.#nodes = nodes;
    this.#unanswered = unanswered;
    this.#isOver = false;
    this.#acknowledgedAt = performance.now();
    this.#working = Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  /** Stops the work of {@link begin} and waits for calls in progress. @throws Lost after a forbidden response */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Waits until this number of licenses is acknowledged.
   *
   * @throws Lost like {@link end}, and after a long time without an acknowledged call
   */
  async until(licenses: number): Promise<void> {
    while (this.#licenses.size < licenses && this.#failure === undefined) {
      await wait(5);
      if (performance.now() - this.#acknowledgedAt > LONGEST_SILENCE_MS)
        this.#failure = new Lost('the service does not come back by itself');
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** All licenses acknowledged so far. */
  acknowledged(): readonly Issued[] {
    return [...this.#licenses].map(([licenseKey, { machines }]) => ({ licenseKey, fingerprints: [...machines] }));
  }

  /** Number of repeated calls. */
  get repeats(): number {
    return this.#repeats;
  }

  /**
   * Sends every acknowledged order again with its original Idempotency-Key.
   *
   * @throws Lost if a reply does not contain the original license
   */
  async orderAgain(node: ServerProcess): Promise<void> {
    for (const [licenseKey, { idempotencyKey }] of this.#licenses) {
      const { status, body } = await this.#order(node, idempotencyKey);
      if (status !== 200 || body.licenseKey !== licenseKey)
        throw new Lost(
          `the order of ${licenseKey}, repeated, was answered ${status}: ${body.licenseKey ?? body.error}`,
        );
    }
  }

  #order(node: ServerProcess, idempotencyKey: string): Promise<Answer> {
    const order = { email: 'load@example.com', productId: 'load', maxMachines: MACHINES_PER_LICENSE };
    const options = { headers: { 'idempotency-key': idempotencyKey } };
    return node.send('/createLicense', { adminSecret: this.#adminSecret, ...order }, options);
  }

  async #work(): Promise<void> {
    try {
      while (!this.#isOver && this.#failure === undefined) await this.#issue();
    } catch (error) {
      if (!(error instanceof NotAnswered)) this.#failure ??= error;
    }
  }

  async #issue(): Promise<void> {
    const idempotencyKey = `order-${crypto.randomUUID()}`;
    const { licenseKey } = await this.#untilAnswered('/createLicense', (node) => this.#order(node, idempotencyKey));
    const machines: string[] = [];
    this.#licenses.set(licenseKey, { idempotencyKey, machines });
    for (let machine = 1; machine <= MACHINES_PER_LICENSE; machine++) {
      const machineFingerprint = `machine-${machine}`;
      const call = { licenseKey, machineFingerprint, hostname: 'load', productId: 'load' };
      await this.#untilAnswered('/activate', (node) => node.send('/activate', call));
      machines.push(machineFingerprint);
    }
  }

  /** Sends a call, to one node after another if necessary, until it is acknowledged. @throws Lost if it is refused */
  async #untilAnswered(path: string, send: (node: ServerProcess) => Promise<Answer>): Promise<Answer['body']> {
    for (let node = this.#calls++; ; node++) {
      const answer = await send(this.#nodes[node % this.#nodes.length]!).catch(() => undefined);
      if (answer?.status === 200) {
        this.#acknowledgedAt = performance.now();
        return answer.body;
      }
      if (answer !== undefined && answer.status !== 503)
        throw new Lost(`${path} was answered ${answer.status}: ${answer.body.error}`);
      if (this.#unanswered === 'end' || this.#failure !== undefined) throw new NotAnswered();
      this.#repeats += 1;
      await wait(REPEAT_AFTER_MS);
    }
  }
}

/** The sorted fingerprints of a license's machines. @throws Lost if the license does not exist */
async function machinesOf(service: ServerProcess, licenseKey: string, adminSecret: string): Promise<readonly string[]> {
  const givenUpAt = performance.now() + LONGEST_SILENCE_MS;
  let answer = await service.send('/getLicense', { adminSecret, licenseKey });
  // A busy service loses nothing.
  while (answer.status === 503 && performance.now() < givenUpAt) {
    await wait(REPEAT_AFTER_MS);
    answer = await service.send('/getLicense', { adminSecret, licenseKey });
  }
  const { status, body } = answer;
  if (status !== 200) throw new Lost(`the license ${licenseKey} was acknowledged and is gone (${status})`);
  return body.activations.map(({ fingerprint }: { fingerprint: string }) => fingerprint).toSorted();
}

/**
 * Checks that all acknowledged licenses and machines exist.
 *
 * @returns the number of machines of the licenses
 * @throws Lost if a license or one of its machines is missing
 */
export async function findAll(service: ServerProcess, issued: readonly Issued[], adminSecret: string): Promise<number> {
  let machines = 0;
  for (const { licenseKey, fingerprints } of issued) {
    const bound = new Set(await machinesOf(service, licenseKey, adminSecret));
    const missing = fingerprints.filter((fingerprint) => !bound.has(fingerprint));
    if (missing.length > 0) throw new Lost(`of ${licenseKey}, ${missing.join(', ')} was acknowledged and is gone`);
    machines += fingerprints.length;
  }
  return machines;
}

/** The keys of all licenses of a service. */
export async function listKeys(service: ServerProcess, adminSecret: string): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await service.send('/listLicenses', { adminSecret, limit: 1000, cursor });
    if (status !== 200) throw new Lost(`/listLicenses was answered ${status}: ${body.error}`);
    for (const { key } of body.licenses) keys.add(key);
    cursor = body.nextCursor;
    if (cursor === undefined) return keys;
  }
}

/** All licenses of a service with their machines. */
export async function listAll(service: ServerProcess, adminSecret: string): Promise<readonly Issued[]> {
  const keys = [...(await listKeys(service, adminSecret))];
  const all: Issued[] = [];
  while (keys.length > 0) {
    const read = keys.splice(0, READ_AT_ONCE).map(async (licenseKey) => {
      return { licenseKey, fingerprints: await machinesOf(service, licenseKey, adminSecret) };
    });
    all.push(...(await Promise.all(read)));
  }
  return all;
}

/**
 * Compares the contents of a service with the expected licenses.
 *
 * @returns the number of licenses and machines, as text
 * @throws Lost if a license or a machine is missing or unexpected
 */
export async function findExactly(
  service: ServerProcess,
  expected: readonly Issued[],
  adminSecret: string,
): Promise<string> {
  const found = new Map<string, string>();
  let machines = 0;
  for (const { licenseKey, fingerprints } of await listAll(service, adminSecret)) {
    found.set(licenseKey, fingerprints.join(', '));
    machines += fingerprints.length;
  }
  for (const { licenseKey, fingerprints } of expected) {
    const [has, should] = [found.get(licenseKey), fingerprints.toSorted().join(', ')];
    if (has === undefined) throw new Lost(`the license ${licenseKey} was acknowledged and is gone`);
    if (has !== should) throw new Lost(`${licenseKey} has the machines ${has || 'none'}, and not ${should || 'none'}`);
  }
  const unknown = found.size - expected.length;
  if (unknown > 0) throw new Lost(`${unknown} licenses are there that nobody was reported of`);
  return `${found.size} licenses and ${machines} machines`;
}
