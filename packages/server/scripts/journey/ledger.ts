/** What a service has acknowledged while it was under load, to be looked for after everything that may happen to it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../../test/support/app.ts';
import type { ServerProcess } from '../../test/support/server-process.ts';

/** An acknowledged license, and its acknowledged machines. */
export interface Issued {
  readonly licenseKey: string;
  readonly fingerprints: readonly string[];
}

/** Something that was acknowledged is not there, or something is there that nobody asked for. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

const MACHINES_PER_LICENSE = 2;
/** Before a call is repeated that was not answered, or with 503. */
const REPEAT_AFTER_MS = 50;
/** A service that has not acknowledged anything for so long does not come back by itself. */
const LONGEST_SILENCE_MS = 60_000;

/** Licenses that are read at once to be compared. */
const READ_AT_ONCE = 16;

/** What becomes of a call that is not answered, or with 503: it ends its connection's work, or it is sent to the next node. */
type Unanswered = 'end' | 'repeat';

/** A call was not answered, and is not to be repeated. */
class NotAnswered extends Error {}

/** An acknowledged license, with what it was ordered by. */
interface Entry {
  readonly idempotencyKey: string;
  readonly machines: string[];
}

/** Calls one or more nodes from several connections at once, and remembers what was acknowledged. */
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
   * Begins to issue licenses and to activate machines, at the nodes in turn.
   *
   * @param unanswered `end` makes it end by itself when a node does not answer any more
   */
  begin(nodes: readonly ServerProcess[], workers: number, unanswered: Unanswered): void {
    this.#nodes = nodes;
    this.#unanswered = unanswered;
    this.#isOver = false;
    this.#acknowledgedAt = performance.now();
    this.#working = Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  /** Ends what {@link begin} began, and waits for what is under way. @throws Lost when an answer was not one that may be given */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits until so many licenses were acknowledged. @throws Lost as {@link end} does, and when nothing is acknowledged for long */
  async until(licenses: number): Promise<void> {
    while (this.#licenses.size < licenses && this.#failure === undefined) {
      await wait(5);
      if (performance.now() - this.#acknowledgedAt > LONGEST_SILENCE_MS)
        this.#failure = new Lost('the service does not come back by itself');
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** All that is acknowledged by now. */
  acknowledged(): readonly Issued[] {
    return [...this.#licenses].map(([licenseKey, { machines }]) => ({ licenseKey, fingerprints: [...machines] }));
  }

  /** How many calls were sent again. */
  get repeats(): number {
    return this.#repeats;
  }

  /**
   * Sends every acknowledged order once more, with the Idempotency-Key that it had.
   *
   * @throws Lost when one is not answered with the license that it was answered with before
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

  /** Sends a call, to one node after the other if need be, until it is acknowledged. @throws Lost when it is refused */
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

/** The fingerprints of a license's machines, sorted. @throws Lost when there is no such license */
async function machinesOf(service: ServerProcess, licenseKey: string, adminSecret: string): Promise<readonly string[]> {
  const { status, body } = await service.send('/getLicense', { adminSecret, licenseKey });
  if (status !== 200) throw new Lost(`the license ${licenseKey} was acknowledged and is gone (${status})`);
  return body.activations.map(({ fingerprint }: { fingerprint: string }) => fingerprint).toSorted();
}

/**
 * Looks for what was acknowledged.
 *
 * @returns how many machines were found with the licenses
 * @throws Lost when a license or one of its machines is missing
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

/** The key of every license of a service. */
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

/** Every license of a service, each with its machines. */
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
 * Compares all that a service has with all that it should have.
 *
 * @returns how many licenses and machines there are
 * @throws Lost when a license or a machine is missing, or is there and should not be
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
  if (unknown > 0) throw new Lost(`${unknown} licenses are there that nobody was told of`);
  return `${found.size} licenses and ${machines} machines`;
}
