/** The options of a command line, with their usual values and their checks. */
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** Available in every program of the bench. */
export const ENGINES = ['sqlite', 'postgres'] as const;

/** The command line is invalid; the message gives the reason. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** Reads a value that the command line gives to an option. @throws OptionsError if the option cannot have it */
type Reader<Value> = (given: string, name: string) => Value;

interface Option<Value> {
  readonly name: string;
  /** @param given undefined if the command line does not name the option */
  readonly read: (given: string | undefined) => Value;
}

/** An option with its usual value. */
export function option<Value>(name: string, usual: string, read: Reader<Value>): Option<Value> {
  return { name, read: (given = usual) => read(given, name) };
}

/** An option that is null unless the command line names it. */
export function optional<Value>(name: string, read: Reader<Value>): Option<Value | null> {
  return { name, read: (given) => (given === undefined ? null : read(given, name)) };
}

type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of options, by their fields. */
export type ValuesOf<Known extends Options> = {
  readonly [Field in keyof Known]: ReturnType<Known[Field]['read']>;
};

/**
 * Reads a command line.
 *
 * @param args without the program name
 * @returns null for `--help`
 * @throws OptionsError naming the first invalid option
 */
export function valuesIn<Known extends Options>(args: readonly string[], known: Known): ValuesOf<Known> | null {
  const texts = Object.values(known).map(({ name }) => [name, { type: 'string' }] as const);
  const given = parsed(args, { ...Object.fromEntries(texts), help: { type: 'boolean' } });
  if (given.help === true) return null;
  const values = Object.entries(known).map(([field, { name, read }]) => [
    field,
    read(given[name] as string | undefined),
  ]);
  return Object.fromEntries(values) as ValuesOf<Known>;
}

function parsed(args: readonly string[], options: ParseArgsOptionsConfig): Readonly<Record<string, unknown>> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new OptionsError((error as Error).message);
  }
}

/** One of these choices. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
  return (given, name) => {
    const chosen = choices.find((choice) => choice === given);
    if (chosen !== undefined) return chosen;
    throw new OptionsError(`--${name} is ${given}; it must be one of ${choices.join(', ')}`);
  };
}

/** Some of these choices, separated by commas, in the order of `choices`. */
export function someOf<const Choice extends string>(choices: readonly Choice[]): Reader<readonly Choice[]> {
  return (given, name) => {
    const named = new Set(given.split(',').map((each) => oneOf(choices)(each.trim(), name)));
    return choices.filter((choice) => named.has(choice));
  };
}

/** `on` or `off`. */
export const isOn: Reader<boolean> = (given, name) => oneOf(['on', 'off'])(given, name) === 'on';

/** A whole number, which may end in k (thousands) or M (millions). */
export function count(least: number, most: number): Reader<number> {
  return (given, name) => {
    const [, digits, unit] = /^(\d{1,9})([kM]?)$/.exec(given) ?? [];
    const number = Number(digits) * (unit === 'M' ? 1_000_000 : unit === 'k' ? 1000 : 1);
    if (number >= least && number <= most) return number;
    throw new OptionsError(
      `--${name} is ${given}; it must be a whole number from ${least} to ${most}, such as 10k or 2M`,
    );
  };
}

/** A number such as 0.5. */
export function amount(least: number, most: number): Reader<number> {
  return (given, name) => {
    const number = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new OptionsError(`--${name} is ${given}; it must be a number from ${least} to ${most}`);
  };
}

/** A file or folder, as an absolute path from the directory in which npm was called. */
export const path: Reader<string> = (given) => resolve(process.env.INIT_CWD ?? '.', given);
