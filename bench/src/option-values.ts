/** Values of command line options, with their checks. */
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** Available in every program of the bench. */
export const ENGINES = ['sqlite', 'postgres'] as const;

/** The command line is invalid; the message gives the reason. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/**
 * Parses a command line.
 *
 * @param options for `parseArgs` of node:util
 * @throws OptionsError if an option is unknown or lacks its value
 */
export function valuesIn<const Known extends ParseArgsOptionsConfig>(args: readonly string[], options: Known) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new OptionsError((error as Error).message);
  }
}

/** Returns the given choice. @throws OptionsError if it is not one of `choices` */
export function oneOf<const Choice extends string>(name: string, given: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find((choice) => choice === given);
  if (chosen !== undefined) return chosen;
  throw new OptionsError(`--${name} is ${given}; it must be one of ${choices.join(', ')}`);
}

/** Returns the given choices, separated by commas, in the order of `choices`. @throws OptionsError as above */
export function someOf<const Choice extends string>(
  name: string,
  given: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const named = new Set(given.split(',').map((each) => oneOf(name, each.trim(), choices)));
  return choices.filter((choice) => named.has(choice));
}

/** A whole number, which may end in k (thousands) or M (millions). @throws OptionsError if it is out of range */
export function count(name: string, given: string, least: number, most: number): number {
  const [, digits, unit] = /^(\d{1,9})([kM]?)$/.exec(given) ?? [];
  const number = Number(digits) * (unit === 'M' ? 1_000_000 : unit === 'k' ? 1000 : 1);
  if (number >= least && number <= most) return number;
  throw new OptionsError(
    `--${name} is ${given}; it must be a whole number from ${least} to ${most}, such as 10k or 2M`,
  );
}

/** A number such as 0.5. @throws OptionsError if it is out of range */
export function amount(name: string, given: string, least: number, most: number): number {
  const number = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new OptionsError(`--${name} is ${given}; it must be a number from ${least} to ${most}`);
}

/** The absolute path of a file or folder, from the directory in which npm was called; null if the option is absent. */
export function pathFrom(given: string | undefined): string | null {
  return given === undefined ? null : resolve(process.env.INIT_CWD ?? '.', given);
}
