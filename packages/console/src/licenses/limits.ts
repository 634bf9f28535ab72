/** Limits of machines and seats as typed, for many licenses at once. Pure. */
import type { License, RequestOf } from '../api/contract.ts';
import { limitIn } from './words.ts';

/** Limits that somebody typed; undefined leaves a limit. */
export interface GivenLimits {
  readonly machines: number | undefined;
  readonly seats: number | undefined;
}

/** The typed limits, null without a valid one, and the errors of the fields. */
export function typedLimits(
  machines: string,
  seats: string,
): {
  readonly given: GivenLimits | null;
  readonly wrong: { readonly machines?: string; readonly seats?: string };
} {
  const [ofMachines, ofSeats] = [machines.trim() === '-1' ? -1 : limitIn(machines), limitIn(seats)];
  const isWrong = (typed: string, limit: number | null) => typed !== '' && limit === null;
  const wrong = {
    ...(isWrong(machines, ofMachines) ? { machines: 'A whole number, 1 or more, or -1 for unlimited.' } : {}),
    ...(isWrong(seats, ofSeats) ? { seats: 'A whole number, 1 or more.' } : {}),
  };
  const isGiven = (machines !== '' || seats !== '') && Object.keys(wrong).length === 0;
  return { given: isGiven ? { machines: ofMachines ?? undefined, seats: ofSeats ?? undefined } : null, wrong };
}

/**
 * The request that gives a license these limits; null if it has them already. Only a floating license has seats. It
 * names the limits that it replaces, so it changes nothing that somebody else has changed meanwhile.
 */
export function limitsAfter(
  { key, licenseType, maxMachines, maxConcurrent }: License,
  { machines, seats }: GivenLimits,
): RequestOf<'/updateLicense'> | null {
  const changes = {
    ...(machines === undefined || machines === maxMachines
      ? {}
      : { maxMachines: machines, wasMaxMachines: maxMachines }),
    ...(seats === undefined || licenseType !== 'floating' || seats === maxConcurrent
      ? {}
      : { maxConcurrent: seats, wasMaxConcurrent: maxConcurrent }),
  };
  return Object.keys(changes).length === 0 ? null : { licenseKey: key, ...changes };
}
