/** What a service has acknowledged while it was under load, to be looked for after everything that may happen to it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ServerProcess } from '../../test/support/server-process.ts';

/** An acknowledged license, and its acknowledged machines. */
interface Issued {
  readonly licenseKey: string;
  readonly fingerprints: readonly string[];
}

/** Something that was acknowledged is not there, or something is there that nobody asked for. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

const MACHINES_PER_LICENSE = 2;

/** Calls a service from several connections at once, and remembers what it has acknowledged. */
export class Ledger {
  readonly #machines = new Map<string, string[]>();
  readonly #adminSecret: string;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(adminSecret: string) {
    this.#adminSecret = adminSecret;
  }

  /** Begins to issue licenses and to activate machines; ends by itself when the service does not answer any more. */
  begin(service: ServerProcess, workers: number): void {
    this.#isOver = false;
    this.#working = Promise.all(Array.from({ length: workers }, () => this.#work(service)));
  }

  /** Ends what {@link begin} began, and waits for what is under way. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /** Waits until so many licenses were acknowledged. */
  async until(licenses: number): Promise<void> {
    while (this.#machines.size < licenses) await wait(20);
  }

  /** All that is acknowledged by now. */
  acknowledged(): readonly Issued[] {
    return [...this.#machines].map(([licenseKey, fingerprints]) => ({ licenseKey, fingerprints: [...fingerprints] }));
  }

  async #work(service: ServerProcess): Promise<void> {
    while (!this.#isOver) {
      try {
        const order = { email: 'load@example.com', productId: 'load', maxMachines: MACHINES_PER_LICENSE };
        const { status, body } = await service.send('/createLicense', { adminSecret: this.#adminSecret, ...order });
        if (status !== 200) throw new Lost(`/createLicense was answered ${status}: ${body.error}`);
        const { licenseKey } = body;
        const machines: string[] = [];
        this.#machines.set(licenseKey, machines);
        for (let machine = 1; machine <= MACHINES_PER_LICENSE; machine++) {
          const machineFingerprint = `machine-${machine}`;
          const call = { licenseKey, machineFingerprint, hostname: 'load', productId: 'load' };
          const activated = await service.send('/activate', call);
          if (activated.status === 200) machines.push(machineFingerprint);
        }
      } catch (error) {
        if (error instanceof Lost) throw error;
        return;
      }
    }
  }
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
    const { status, body } = await service.send('/getLicense', { adminSecret, licenseKey });
    if (status !== 200) throw new Lost(`the license ${licenseKey} was acknowledged and is gone (${status})`);
    const bound = new Set(body.activations.map(({ fingerprint }: { fingerprint: string }) => fingerprint));
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
