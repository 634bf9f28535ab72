/** Health for load balancers: /healthz says that the process answers, /readyz that it can do its work. */
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs } from '../clock.ts';
import { type Outcome, outcomeOfRefusal } from '../dispatch/call.ts';
import { refuse } from '../refusals.ts';
import { isLasting } from '../storage/availability.ts';
import type { Availability } from '../storage/storage.ts';
import type { Document } from './listener.ts';

/** What health is found out with. */
export interface HealthParts {
  /** Reads something from the database. @throws when it cannot be read */
  readonly probeReads: () => Promise<void>;
  /** Writes something. @throws when it takes no writes */
  readonly probeWrites: () => Promise<void>;
  readonly isStopping: () => boolean;
  /** How often a write is tried, in milliseconds. */
  readonly writeProbeIntervalMs: number;
  /** How long a read or write may take before it counts as failed. */
  readonly timeoutMs: number;
  /** For how long what a read has shown is answered again: anybody may ask, as often as they like. */
  readonly readProbeKeptMs: number;
  /** A database that is away again so soon after it was back is not called back until it has been so for `calmMs`. */
  readonly relapseMs: number;
  readonly calmMs: number;
  /** Hears of each change of what the database can do, for the log. */
  readonly onChange: (availability: Availability) => void;
}

/** The health of a service. */
export interface Health {
  /**
   * The two documents. A service that is stopping is healthy but not ready, so that no new requests are sent to it; one
   * whose database takes no writes is ready, because /verify goes on, and says `writes: false`.
   */
  readonly documents: ReadonlyMap<string, Document>;
  /** Notes what calls have shown of the database. */
  note(availability: Availability): void;
  /** Tries no more writes; resolves when none is under way, or has been for as long as one may be. */
  stop(): Promise<void>;
}

const AVAILABLE: Availability = { state: 'available' };

/** Starts to try writes. */
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
      // A disk that is nearly full takes one write and refuses the next: that is one outage, not one for each write.
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

  /** Tries a write, unless the last one is still under way. */
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

  /** Whether the database can be read: one read at a time, whoever asks. */
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
      // A call was served that the database could not serve before: what the last probe showed is older.
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
