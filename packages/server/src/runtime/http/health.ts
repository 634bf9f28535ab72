/** Health for load balancers: /healthz shows that the process answers, /readyz that it can do its work. */
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs } from '../../ground/base/clock.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { Document } from '../../platform/sites/documents.ts';
import { isLasting } from '../../storage/contract/availability.ts';
import type { Availability } from '../../storage/contract/storage.ts';

/** Dependencies and intervals of {@link watchHealth}. */
export interface HealthParts {
  /** Reads something from the database. @throws if the read fails */
  readonly probeReads: () => Promise<void>;
  /** Writes something. @throws if the write fails */
  readonly probeWrites: () => Promise<void>;
  readonly isStopping: () => boolean;
  /** Interval between trial writes in milliseconds. */
  readonly writeProbeIntervalMs: number;
  /** Time in milliseconds after which a read or write counts as failed. */
  readonly timeoutMs: number;
  /** Time in milliseconds for which the result of a read is reused, because anybody may ask, as often as they like. */
  readonly readProbeKeptMs: number;
  /**
   * A database that fails again within `relapseMs` of its recovery counts as recovered only after `calmMs` without a
   * failure.
   */
  readonly relapseMs: number;
  readonly calmMs: number;
  /** Called on each change of the database's availability, for the log. */
  readonly onChange: (availability: Availability) => void;
}

export interface Health {
  /**
   * The two documents. A stopping service is healthy but not ready, so that it receives no new requests. A service
   * whose database is read-only is ready, because /verify still works, and reports `writes: false`.
   */
  readonly documents: ReadonlyMap<string, Document>;
  /** Records the database availability that calls have observed. */
  note(availability: Availability): void;
  /** Stops the trial writes; resolves when none is in progress, or after the timeout of one. */
  stop(): Promise<void>;
}

const AVAILABLE: Availability = { state: 'available' };

/** Starts the trial writes. */
export function watchHealth(parts: HealthParts): Health {
  const healthy = { status: 200, body: JSON.stringify({ success: true, status: 'ok' }) };
  const notReady = outcomeOfRefusal(refuse('not_ready'), 'success');
  const ready = (writes: boolean): Outcome => ({
    status: 200,
    body: JSON.stringify({ success: true, status: 'ready', writes }),
  });
  let byCalls: Availability = AVAILABLE;
  let byProbes: Availability = AVAILABLE;
  let lastState: Availability['state'] = 'available';
  let backAt = Number.NEGATIVE_INFINITY;
  let hasRelapsed = false;
  let calming: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let reading: Promise<boolean> | undefined;

  const known = () => (byCalls.state === 'available' ? byProbes : byCalls);

  function tellChange(): void {
    const availability = known();
    if (availability.state !== 'available') {
      clearTimeout(calming);
      calming = undefined;
      if (lastState === 'available') hasRelapsed = elapsedMs() - backAt < parts.relapseMs;
    } else if (hasRelapsed && lastState !== 'available') {
      // A nearly full disk accepts one write and refuses the next. That is one outage, not one per write.
      calming ??= setTimeout(() => tellState(AVAILABLE), parts.calmMs).unref();
      return;
    }
    if (availability.state !== lastState) tellState(availability);
  }

  function tellState(availability: Availability): void {
    calming = undefined;
    lastState = availability.state;
    if (lastState === 'available') backAt = elapsedMs();
    parts.onChange(availability);
  }

  function noteProbe(error: string | null): void {
    byProbes = error === null ? AVAILABLE : { state: 'unwritable', reason: `a write was tried: ${error}` };
    tellChange();
  }

  /** Tries a write, unless the last one is still in progress. */
  function tryWrite(): void {
    if (writing !== undefined) return;
    const late = setTimeout(() => noteProbe(`no answer within ${parts.timeoutMs} ms`), parts.timeoutMs);
    late.unref();
    writing = parts
      .probeWrites()
      .then(
        () => noteProbe(null),
        (error: unknown) => noteProbe(String(error)),
      )
      .finally(() => {
        clearTimeout(late);
        writing = undefined;
      });
  }

  /** True if the database can be read. Concurrent callers share one read. */
  function canRead(): Promise<boolean> {
    if (reading === undefined) {
      const answered = parts.probeReads().then(
        () => true,
        () => false,
      );
      const late = wait(parts.timeoutMs, false, { ref: false });
      reading = Promise.race([answered, late]);
      const isOld = reading.then(() => wait(parts.readProbeKeptMs, undefined, { ref: false }));
      void Promise.all([answered, isOld]).then(() => {
        reading = undefined;
      });
    }
    return reading;
  }

  const timer = setInterval(tryWrite, parts.writeProbeIntervalMs);
  timer.unref();
  return {
    documents: new Map<string, Document>([
      ['/healthz', async () => healthy],
      [
        '/readyz',
        async () => {
          if (parts.isStopping() || isLasting(known()) || !(await canRead())) return notReady;
          return ready(known().state === 'available');
        },
      ],
    ]),
    note(availability) {
      byCalls = availability;
      // The database has just served a call, which is newer than the last probe.
      if (availability.state === 'available') byProbes = AVAILABLE;
      tellChange();
    },
    async stop() {
      clearInterval(timer);
      clearTimeout(calming);
      await Promise.race([writing, wait(parts.timeoutMs, undefined, { ref: false })]);
    },
  };
}
