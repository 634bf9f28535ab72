/** The paying customer whose app makes calls during attacks. */
import { Agent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest } from '../support/app.ts';
import type { Machine } from '../support/machine.ts';

/** Pause between the calls of the customer's app, so that its own load is negligible. */
const PAUSE_MS = 5;

/** Latencies of the replies of one endpoint in milliseconds, and their statuses. */
export interface Latencies {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Replies and latencies of the customer's calls. */
export interface CustomerReport {
  readonly verify: Latencies;
  readonly validate: Latencies;
}

/** Calls /verify and /validate alternately, over one connection, for this long. */
export async function beCustomer(port: number, machine: Machine, durationMs: number): Promise<CustomerReport> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 1 });
  const { licenseKey, fingerprint: machineFingerprint, token, productId } = machine;
  const fields = { licenseKey, machineFingerprint, token, productId };
  const seen = { verify: new Seen(), validate: new Seen() };
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt)
    for (const path of ['verify', 'validate'] as const) {
      const startedAt = performance.now();
      // A connection that the service ended counts as a reply, too, and as one that a customer should not see.
      const status = await sendRequest(agent, port, `/${path}`, fields, {}).then(
        (answer) => String(answer.status),
        (error: NodeJS.ErrnoException) => error.code ?? 'lost',
      );
      seen[path].add(status, performance.now() - startedAt);
      await wait(PAUSE_MS);
    }
  agent.destroy();
  return { verify: seen.verify.latencies(), validate: seen.validate.latencies() };
}

class Seen {
  readonly #durations: number[] = [];
  readonly #statuses: Record<string, number> = {};

  add(status: string, durationMs: number): void {
    this.#durations.push(durationMs);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  latencies(): Latencies {
    const sorted = this.#durations.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), statuses: this.#statuses };
  }
}
