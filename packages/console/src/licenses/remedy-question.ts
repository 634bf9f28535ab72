/** Decides the question that a remedy asks before it acts. Pure. */
import { isInUse, type RemovableMachine } from '../actions/machine-removal.ts';
import type { EndpointCheck, License, Remedy } from '../api/contract.ts';
import { nameAmong } from '../sentences/refusals.ts';

/**
 * The question: none for mild remedies, the one of every screen for machines, sessions and reinstatements, otherwise
 * the effect in the words of the service.
 */
export type RemedyQuestion = 'none' | 'machine' | 'session' | 'all machines' | 'reinstatement' | 'effect';

/** The machine that a remedy frees; null if it frees none. */
export function freedMachine(
  { fields }: Pick<Remedy, 'fields'>,
  { because }: Pick<EndpointCheck, 'because'>,
): RemovableMachine | null {
  const { licenseKey, machineFingerprint: fingerprint } = fields;
  if (typeof licenseKey !== 'string' || typeof fingerprint !== 'string') return null;
  const holders = because?.usedBy ?? [];
  const holder = holders.find((each) => each.fingerprint === fingerprint);
  const name = nameAmong({ hostname: holder?.hostname ?? null, fingerprint }, holders);
  return { licenseKey, fingerprint, name, lastSeen: holder?.lastSeen ?? null };
}

/** The question of a remedy. @param now milliseconds since 1970 */
export function questionOf(remedy: Remedy, check: Pick<EndpointCheck, 'because'>, now: number): RemedyQuestion {
  switch (remedy.action) {
    case 'release_activation':
      return isInUse({ lastSeen: freedMachine(remedy, check)?.lastSeen ?? null }, now) ? 'machine' : 'none';
    case 'end_session':
      return 'session';
    case 'reset_activations':
      return 'all machines';
    case 'reinstate':
      return 'reinstatement';
    case 'raise_limit':
    case 'lift_activation_limit':
    case 'extend_license':
      return 'none';
    default:
      return 'effect';
  }
}

/** Whether a single key may press the button: not if a machine in use would lose its place. */
export function hasKey(question: RemedyQuestion): boolean {
  return question === 'none' || question === 'reinstatement' || question === 'effect';
}

/**
 * The fields of a remedy with the values that the person sees, so that a change made meanwhile is not overwritten: a
 * license that was renewed is not shortened, and a raised limit is not lowered.
 */
export function fieldsOf(
  { fields }: Pick<Remedy, 'fields'>,
  { expiresAt, maxMachines, maxConcurrent }: Pick<License, 'expiresAt' | 'maxMachines' | 'maxConcurrent'>,
): Remedy['fields'] {
  return {
    ...fields,
    ...('expiresAt' in fields ? { wasExpiresAt: expiresAt } : {}),
    ...('maxMachines' in fields ? { wasMaxMachines: maxMachines } : {}),
    ...('maxConcurrent' in fields ? { wasMaxConcurrent: maxConcurrent } : {}),
  };
}
