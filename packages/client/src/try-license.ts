/** Runs through the life of a license against a real server, and prints the states that an app would see. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from './node/system-clock.ts';
import { createLatchkey, httpsTransport, machineFingerprint, Refused, type Trust, Unreachable } from './node.ts';
import type { LicenseState } from './state.ts';
import { TransportFailure } from './transport.ts';
import type { Clock } from './trusted-clock.ts';

/** The trial to run. */
export interface Trial extends Trust {
  readonly server: string;
  readonly productId: string;
  readonly licenseKey: string;
  /** Milliseconds until the network is disconnected; null to stay connected. */
  readonly offlineAfterMs: number | null;
  /** Milliseconds by which the clock is moved afterwards; simulates elapsed time while the network is disconnected. */
  readonly clockMs: number;
}

/**
 * Activates, checks, goes offline and returns as requested, and frees the slot again.
 *
 * @param print receives one line
 * @returns whether the app may run in the end
 */
export async function tryLicense(trial: Trial, print: (line: string) => void): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-try-'));
  let isOffline = false;
  let passedMs = 0;
  let aheadMs = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + passedMs + aheadMs,
    monotonic: () => systemClock.monotonic() + passedMs,
  };
  const send = httpsTransport(trial);
  const latchkey = createLatchkey({
    server: trial.server,
    productId: trial.productId,
    directory,
    // The machine's own fingerprint, not one from the temporary folder.
    fingerprint: () => machineFingerprint(trial.productId, directory),
    release: 'never',
    clock,
    transport: async (request) => {
      if (isOffline) throw new TransportFailure('network', 'the network was taken away for this trial');
      return send(request);
    },
  });
  const show = (step: string, state: LicenseState) => {
    print(`${step}: ${state.status}, ${state.mayRun ? 'the app runs' : 'the app does not run'}`);
    print(`  ${JSON.stringify(state)}`);
  };
  try {
    show('start', await latchkey.start());
    show('activate', await latchkey.activate(trial.licenseKey));
    if (trial.offlineAfterMs !== null) {
      await wait(trial.offlineAfterMs);
      isOffline = true;
      await wait(BETWEEN_CHECKS_MS);
      show('the server cannot be reached', await latchkey.check());
    }
    if (trial.clockMs !== 0) {
      if (isOffline && trial.clockMs > 0) passedMs = trial.clockMs;
      else aheadMs = trial.clockMs;
      show(`the clock is ${trial.clockMs > 0 ? 'ahead' : 'behind'}`, latchkey.state);
    }
    isOffline = false;
    await wait(BETWEEN_CHECKS_MS);
    const state = await latchkey.check();
    show('check', state);
    await latchkey.deactivate();
    show('deactivate', latchkey.state);
    return state.mayRun;
  } catch (error) {
    if (error instanceof Refused) print(`refused: ${error.code}: ${error.message}`);
    else if (error instanceof Unreachable) print(`unreachable: ${error.problem.kind}: ${error.message}`);
    else throw error;
    return false;
  } finally {
    await latchkey.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A client makes no second request for checks within two seconds. */
const BETWEEN_CHECKS_MS = 2100;
