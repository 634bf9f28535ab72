/** Says which threads collect young objects. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Cores up to which the threads of the service have none to spare for V8's helpers. */
const FEW_CORES = 2;

/**
 * On a machine with few cores, lets each thread collect its young objects alone. V8 wakes helper threads for each of
 * these collections, many times a second. They shorten the pause only where a core is free. Where none is, they take
 * the time of the threads that serve: 2 to 3 % of the CPU of a /verify.
 */
export function collectYoungObjectsAlone(
  cores: number = availableParallelism(),
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  if (cores <= FEW_CORES) setFlags('--no-parallel-scavenge');
}
