/** Pure rules for releasing a machine's slot from outside: unbinding it, or ending its floating session (rules 3.2). */
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { type Activation, factsOfMachine, isSessionLive, type MachineChanges } from '../machines/activation.ts';
import type { LicenseDecision } from './change.ts';
import type { License } from './license.ts';

const UNCHANGED: MachineChanges = { inserted: [], touched: [], updated: [], deleted: [] };

/** Unbinds one machine. Its slot is free at once, and its tokens become invalid with its activation. */
export function releaseOf(
  license: License,
  machine: Activation | undefined,
): LicenseDecision | Refusal<'machine_not_found'> {
  if (machine === undefined) return refuse('machine_not_found');
  const { fingerprint, sessionDeadline } = machine;
  return {
    type: 'activation.deleted',
    update: {
      machinesUsed: license.machinesUsed - 1,
      // A lapsed session that has not been released is counted, too.
      sessionsHeld: license.sessionsHeld - (sessionDeadline === null ? 0 : 1),
    },
    entry: { subject: fingerprint, before: factsOfMachine(machine), after: null },
    machines: { ...UNCHANGED, deleted: [machine] },
  };
}

/**
 * Ends the live floating session of one machine. The machine stays bound and may start another session while a slot is
 * free.
 */
export function sessionEndOf(
  license: License,
  machine: Activation | undefined,
  now: number,
): LicenseDecision | Refusal<'machine_not_found' | 'no_live_session'> {
  if (machine === undefined) return refuse('machine_not_found');
  if (!isSessionLive(machine, now)) return refuse('no_live_session');
  const { fingerprint } = machine;
  return {
    type: 'session.ended',
    update: { sessionsHeld: license.sessionsHeld - 1 },
    entry: {
      subject: fingerprint,
      before: { fingerprint, sessionActive: true },
      after: { fingerprint, sessionActive: false },
    },
    machines: {
      ...UNCHANGED,
      updated: [{ ...machine, sessionStarted: null, sessionDeadline: null, sessionDue: null }],
    },
  };
}
