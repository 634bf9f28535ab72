/** Refusals of apps in words for the person at the console: pure. */
import type { ClientEndpoint, KeptRefusal } from '../api/contract.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { roundedSpanText } from '../parts/span-words.ts';

/** The purpose of each client endpoint, in the order of an app's calls. */
const ENDPOINTS: Readonly<Record<ClientEndpoint, string>> = {
  '/verify': 'Check the key',
  '/activate': 'Activate',
  '/validate': 'Start',
  '/heartbeat': 'Keep running',
  '/deactivate': 'Give up its place',
  '/consume': 'Count a use',
};

/** The purpose of a client endpoint. */
export function checkTitle(endpoint: ClientEndpoint): string {
  return ENDPOINTS[endpoint];
}

/** The names of a machine: its own hostname, and its fingerprint. */
export interface NamedMachine {
  readonly hostname?: string | null;
  readonly fingerprint?: string | null;
}

/** A machine by its hostname, otherwise by the beginning of its fingerprint. */
export function machineName(machine: NamedMachine): string {
  if (machine.hostname !== null && machine.hostname !== undefined && machine.hostname !== '') return machine.hostname;
  const print = machine.fingerprint ?? '';
  return print === '' ? 'A new machine' : `Machine ${print.slice(0, 8)}`;
}

/**
 * The name of a machine among others. If another one has the same name, as after a reinstallation, the beginning of the
 * fingerprint distinguishes them.
 */
export function nameAmong(machine: NamedMachine, others: readonly NamedMachine[]): string {
  const name = machineName(machine);
  const hasNamesake = others.some((other) => other.fingerprint !== machine.fingerprint && machineName(other) === name);
  const beginning = (machine.fingerprint ?? '').slice(0, 8);
  return hasNamesake && beginning !== '' ? `${name} (${beginning})` : name;
}

/** The refused caller: a machine by its name, or an app that named none. */
export function refusedName({
  hostname,
  machineFingerprint,
}: Pick<KeptRefusal, 'hostname' | 'machineFingerprint'>): string {
  return machineFingerprint === null ? 'An app' : machineName({ hostname, fingerprint: machineFingerprint });
}

/** The reason for a refusal: `All machines of the license are in use. The limit was 2.` */
export function refusedReason({ code, details }: Pick<KeptRefusal, 'code' | 'details'>): string {
  const { title } = wordsFor({ code: code as never, message: code });
  const meter = typeof details.meter === 'string' ? ` of “${details.meter}”` : '';
  return typeof details.limit === 'number' ? `${title} The limit${meter} was ${details.limit}.` : title;
}

/** The span of repeated refusals: `within 12 minutes`; '' for one call, or for less than half a minute. */
export function repeatsText({ count, firstAt, lastAt }: Pick<KeptRefusal, 'count' | 'firstAt' | 'lastAt'>): string {
  const seconds = (Date.parse(lastAt) - Date.parse(firstAt)) / 1000;
  return count > 1 && seconds >= 30 ? `within ${roundedSpanText(seconds)}` : '';
}

/** The reasons for filtering a list of refusals: a title, and the codes it stands for. */
export const REFUSAL_REASONS = [
  { title: 'No free machine', codes: ['machine_limit'] },
  { title: 'No free seat', codes: ['user_limit'] },
  { title: 'No user named', codes: ['user_required'] },
  { title: 'Too many attempts', codes: ['activation_rate'] },
  { title: 'License revoked', codes: ['license_revoked'] },
  { title: 'Key replaced', codes: ['license_replaced'] },
  { title: 'License expired', codes: ['license_expired'] },
  { title: 'Version not covered', codes: ['update_not_covered'] },
  { title: 'Feature not included', codes: ['feature_missing'] },
  { title: 'Usage limit reached', codes: ['meter_limit'] },
  { title: 'Meter not known', codes: ['meter_not_found'] },
  { title: 'Use reported twice', codes: ['request_id_reused'] },
  { title: 'Machine not known', codes: ['invalid_token', 'token_mismatch', 'machine_not_activated'] },
  { title: 'Token no longer valid', codes: ['invalid_token'] },
  { title: 'Token of another machine', codes: ['token_mismatch'] },
  { title: 'Machine not activated', codes: ['machine_not_activated'] },
  { title: 'Another product', codes: ['wrong_product'] },
] as const;

/** The codes of all recorded refusals. */
export const REFUSAL_CODES: readonly string[] = [...new Set(REFUSAL_REASONS.flatMap(({ codes }) => codes))];
