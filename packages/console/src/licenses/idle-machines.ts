/** Machines that were not seen for a while. Pure. */
import type { Activation } from '../api/contract.ts';

const DAY_MS = 86_400_000;

/** The machines that were not seen for a number of days, and have no live session. */
export function idleAmong(machines: readonly Activation[], days: number, now: number): readonly Activation[] {
  return machines.filter(
    ({ lastSeen, sessionActive }) => !sessionActive && now - Date.parse(lastSeen) >= days * DAY_MS,
  );
}
