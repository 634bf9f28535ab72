/**
 * Pure rules for the evidence of a collected violation. Every refused call may add to the evidence, so its size is
 * bounded for any input: names are truncated, lists end, and the collected violations of a license hold 16 KiB
 * together.
 */
import { hash } from 'node:crypto';
import { toTimestamp } from '../../ground/base/clock.ts';
import { elementsOf, isFiniteNumber, isRecord, isText } from '../../storage/contract/stored-json.ts';
import type { DetectedType, Observation } from './observation.ts';

/** Maximum number of different machines (newest first) or countries in the evidence. */
const LIST_ENTRIES = 20;
/** Maximum length of a name, in characters and in bytes of JSON; one character may take six bytes. */
const NAME_CHARACTERS = 100;
const NAME_BYTES = 400;
/** Machines kept regardless of the length of their names, because the severity of machine_limit counts this many. */
const MACHINES_ALWAYS_KEPT = 5;

/** Bytes of JSON per type, 16 KiB in all. Twenty machines with names of a hundred letters fit. */
const EVIDENCE_BYTES: Readonly<Record<DetectedType, number>> = {
  machine_limit: 5_888,
  activation_rate: 5_888,
  token_replay: 3_840,
  country_spread: 512,
};

type Evidence = Readonly<Record<string, unknown>>;

/** A refused machine. */
export interface MachineSeen {
  readonly fingerprint: string;
  /** Distinguishes fingerprints that share a truncated beginning; absent when the fingerprint is complete. */
  readonly hash?: string;
  readonly hostname?: string;
  readonly lastSeen: string;
}

/** The evidence of a violation after one more observation of its type; `before` is `{}` for a new violation. */
export function evidenceAfter(before: Evidence, observation: Observation, now: number): Evidence {
  const at = toTimestamp(now);
  switch (observation.type) {
    case 'machine_limit': {
      const { fingerprint, hostname, limit } = observation;
      return withMachines({ limit }, [machineSeen(fingerprint, hostname, at), ...machinesIn(before)], observation.type);
    }
    case 'activation_rate': {
      const { fingerprint, hostname } = observation;
      return withMachines({}, [machineSeen(fingerprint, hostname, at), ...machinesIn(before)], observation.type);
    }
    case 'token_replay': {
      const { endpoint, tokenOf, shownBy } = observation;
      const machines = [machineSeen(shownBy, undefined, at), ...machinesIn(before)];
      return withMachines({ endpoint, tokenOf }, machines, observation.type);
    }
    case 'country_spread':
      return {
        countries: shortList([...observation.countries, ...countriesIn(before)]).sort(),
        inOneDay: observation.countries.length,
      };
  }
}

/** Merges the evidence that two servers collected for one violation, preferring the newer. */
export function mergedEvidence(one: Evidence, other: Evidence, type: DetectedType): Evidence {
  if (type === 'country_spread')
    return { ...one, ...other, countries: shortList([...countriesIn(other), ...countriesIn(one)]).sort() };
  const [older, newer] = newestIn(one) > newestIn(other) ? [other, one] : [one, other];
  const machines = [...machinesIn(newer), ...machinesIn(older)];
  const newestFirst = machines.sort((a, b) => (a.lastSeen === b.lastSeen ? 0 : a.lastSeen < b.lastSeen ? 1 : -1));
  const { machines: _, ...rest } = { ...older, ...newer };
  return withMachines(rest, newestFirst, type);
}

function newestIn(evidence: Evidence): string {
  return machinesIn(evidence)[0]?.lastSeen ?? '';
}

function countriesIn(evidence: Evidence): readonly string[] {
  return elementsOf(evidence.countries, isText);
}

/** The machines in stored evidence, newest first; skips malformed entries. */
export function machinesNamedIn({ machines }: Evidence): readonly MachineSeen[] {
  return elementsOf(machines, isMachineSeen);
}

/** The machines of evidence; truncates entries that an older version stored at full length. */
function machinesIn(evidence: Evidence): readonly MachineSeen[] {
  return machinesNamedIn(evidence).map((each) => {
    if (sizes.has(each)) return each;
    const { fingerprint, hash: kept, hostname, lastSeen } = each;
    return kept === undefined ? machineSeen(fingerprint, hostname, lastSeen) : measured(each);
  });
}

function isMachineSeen(value: unknown): value is MachineSeen {
  return machineFault(value) === null;
}

/** The fault of a value as a machine of evidence; null when it is valid. */
function machineFault(value: unknown): string | null {
  if (!isRecord(value)) return 'must be an object';
  const { fingerprint, hash: kept, hostname, lastSeen } = value;
  if (!isText(fingerprint)) return 'must have a text as fingerprint';
  if (kept !== undefined && !isText(kept)) return 'must have a text as hash, or none';
  if (hostname !== undefined && !isText(hostname)) return 'must have a text as hostname, or none';
  const isMoment = isText(lastSeen) && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(lastSeen);
  return isMoment ? null : 'must have a moment such as 2027-01-31T00:00:00.000Z as lastSeen';
}

/**
 * The evidence fields that the service itself reads and writes, each with a check that returns the fault of a value.
 */
const FIELD_FAULTS: Readonly<Record<string, (value: unknown) => string | null>> = {
  machines: (value) => faultOfList(value, 'machines', machineFault),
  countries: (value) => faultOfList(value, 'countries', (each) => (isText(each) ? null : 'must be a text')),
  limit: (value) => (isFiniteNumber(value) ? null : 'limit must be a number'),
  inOneDay: (value) => (isFiniteNumber(value) ? null : 'inOneDay must be a number'),
  endpoint: (value) => (isText(value) ? null : 'endpoint must be a text'),
  tokenOf: (value) => (isText(value) ? null : 'tokenOf must be a text'),
};

function faultOfList(value: unknown, name: string, faultOf: (each: unknown) => string | null): string | null {
  if (!Array.isArray(value)) return `${name} must be a list`;
  for (const [index, each] of value.entries()) {
    const fault = faultOf(each);
    if (fault !== null) return `${name}[${index}] ${fault}`;
  }
  return null;
}

/** The fault of evidence from elsewhere, starting with the name of the field; null when it is valid. */
export function evidenceFault(evidence: unknown): string | null {
  if (!isRecord(evidence)) return 'evidence must be an object';
  for (const [name, value] of Object.entries(evidence)) {
    const fault = Object.hasOwn(FIELD_FAULTS, name) ? FIELD_FAULTS[name]!(value) : null;
    if (fault !== null) return `evidence.${fault}`;
  }
  return null;
}

/** Stored evidence without the fields that {@link evidenceFault} rejects. */
export function soundEvidence(evidence: Evidence): Evidence {
  const fields = Object.entries(evidence);
  return Object.fromEntries(fields.filter(([name, value]) => evidenceFault({ [name]: value }) === null));
}

/**
 * Cached JSON sizes of machines with truncated names, because a refused call reads twenty machines that it did not
 * change.
 */
const sizes = new WeakMap<MachineSeen, number>();

function measured(machine: MachineSeen): MachineSeen {
  sizes.set(machine, bytesOf(machine));
  return machine;
}

function machineSeen(fingerprint: string, hostname: string | undefined, lastSeen: string): MachineSeen {
  const kept = cut(fingerprint);
  return measured({
    fingerprint: kept,
    ...(kept === fingerprint ? {} : { hash: hash('sha256', fingerprint, 'base64url').slice(0, 11) }),
    ...(hostname === undefined ? {} : { hostname: cut(hostname) }),
    lastSeen,
  });
}

/** The evidence with these machines, newest first, each once, as many as fit. */
function withMachines(rest: Evidence, machines: readonly MachineSeen[], type: DetectedType): Evidence {
  const kept: MachineSeen[] = [];
  let bytes = bytesOf({ ...rest, machines: [] });
  for (const machine of machines) {
    if (kept.length === LIST_ENTRIES) break;
    if (kept.some((each) => each.fingerprint === machine.fingerprint && each.hash === machine.hash)) continue;
    // Plus one for the comma.
    bytes += (sizes.get(machine) ?? bytesOf(machine)) + 1;
    if (bytes > EVIDENCE_BYTES[type] && kept.length >= MACHINES_ALWAYS_KEPT) break;
    kept.push(machine);
  }
  return { ...rest, machines: kept };
}

function shortList(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, LIST_ENTRIES);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The beginning of a name that is too long; a shorter name unchanged. */
function cut(name: string): string {
  // The quotation marks take two bytes.
  if (name.length <= NAME_CHARACTERS && bytesOf(name) <= NAME_BYTES + 2) return name;
  let kept = '';
  let bytes = 0;
  for (const character of [...name.slice(0, 2 * NAME_CHARACTERS)].slice(0, NAME_CHARACTERS)) {
    bytes += bytesOf(character) - 2;
    if (bytes > NAME_BYTES) break;
    kept += character;
  }
  return kept;
}
