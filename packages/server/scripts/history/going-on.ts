/** The present of the shop: while its service runs, apps keep calling, so that charts and boards change. */
import { MINUTE_MS, systemClock } from '../../src/ground/base/clock.ts';
import type { ServiceClient } from '../service-client.ts';
import { App } from './app.ts';
import { Calls } from './calls.ts';
import type { KeptApp } from './kept-apps.ts';
import { makeMachine, makePerson } from './people.ts';
import { Random } from './random.ts';

/** Intervals in milliseconds. */
const CHECK_IN_MS = 4_000;
const BEAT_MS = 12 * MINUTE_MS;
const NEW_COMPUTER_MS = 4 * MINUTE_MS;

/**
 * Lets apps call until the process ends. Refusals are part of the demo. The timers do not keep a stopped service alive.
 */
export function goOn(service: ServiceClient, kept: readonly KeptApp[]): void {
  if (kept.length === 0) return;
  const calls = new Calls(service);
  const random = new Random(String(systemClock()));
  const apps = kept.map((each) => ({ ...each, app: new App(calls, each.license, each.machine, each.country) }));
  const usual = apps.filter(({ isFloating }) => !isFloating);
  const seated = apps.filter(({ isLive }) => isLive);
  const checkIn = async () => {
    if (usual.length === 0) return;
    const { app } = random.pick(usual);
    if ((await app.verify()) !== null) return;
    if (app.token === null) await app.activate();
    else await app.validate();
  };
  const beat = async () => {
    for (const { app } of seated) {
      // Tokens of the history are not stored, so the app activates again to keep its session.
      const refused = app.token === null ? await app.activate() : await app.heartbeat();
      if (refused !== null) app.token = null;
    }
  };
  const newComputer = async () => {
    const { license, country } = random.pick(apps);
    const machine = makeMachine(random, makePerson(random, 0));
    await new App(calls, license, machine, country).activate();
  };
  void beat().catch(() => {});
  repeat(CHECK_IN_MS, checkIn);
  repeat(BEAT_MS, beat);
  repeat(NEW_COMPUTER_MS, newComputer);
}

/** Repeats an action at intervals; after a failure it tries again at the next interval. */
function repeat(intervalMs: number, act: () => Promise<void>): void {
  setInterval(() => void act().catch(() => {}), intervalMs).unref();
}
