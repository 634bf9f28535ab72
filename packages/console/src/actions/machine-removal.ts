/** Decides whether the removal of a machine asks first, and describes its effect. Pure. */
import { countText } from '../parts/count-words.ts';
import { relativeTime } from '../parts/time-words.ts';

/** A machine that was seen within this time counts as in use. */
const IN_USE_MS = 7 * 86_400_000;

/** A machine to remove from its license. */
export interface RemovableMachine {
  readonly licenseKey: string;
  readonly fingerprint: string;
  /** The name that the person sees. */
  readonly name: string;
  /** The last sign of life (ISO 8601); null if unknown. */
  readonly lastSeen: string | null;
}

/** Whether a machine is in use, so that its removal asks first. An unknown last sign of life counts as use. */
export function isInUse({ lastSeen }: Pick<RemovableMachine, 'lastSeen'>, now: number): boolean {
  return lastSeen === null || now - Date.parse(lastSeen) < IN_USE_MS;
}

/** The effect of removing a machine: who is stopped, and how it may return. */
export function removalEffect({ name, lastSeen }: RemovableMachine, now: number): string {
  const seen =
    lastSeen === null
      ? `If ${name} is in use, its app stops at its next check.`
      : isInUse({ lastSeen }, now)
        ? `${name} was seen ${relativeTime(lastSeen, now)}; its app stops at its next check.`
        : `${name} was last seen ${relativeTime(lastSeen, now)}.`;
  return `${seen} Its place is free at once. This cannot be undone: its app activates again while a place is free.`;
}

/** The effect of ending a session: when the app was heard of last, and how it may return. */
export function sessionEndEffect({ name, lastSeen }: RemovableMachine, now: number): string {
  const seen =
    lastSeen === null ? '' : `${name} was heard of ${relativeTime(lastSeen, now)}, so somebody may work on it. `;
  return `${seen}Its seat is free at once. This cannot be undone: the machine stays bound, and its app takes a seat again when it asks and one is free.`;
}

/** The effect of removing all machines of a license. @param seen the known ones, which need not be all */
export function removalOfAllEffect(
  count: number,
  seen: readonly Pick<RemovableMachine, 'lastSeen'>[],
  now: number,
): string {
  const inUse = seen.filter((machine) => isInUse(machine, now)).length;
  const atLeast = seen.length < count && inUse > 0 ? 'At least ' : '';
  const used =
    inUse === 0
      ? ''
      : ` ${atLeast}${inUse} of them ${inUse === 1 ? 'was' : 'were'} seen within 7 days and ${inUse === 1 ? 'stops' : 'stop'} at the next check.`;
  const all = `${countText(count)} ${count === 1 ? 'machine is' : 'machines are'} removed.`;
  return `${all}${used} This cannot be undone: each may activate again, and needs a connection for that.`;
}
