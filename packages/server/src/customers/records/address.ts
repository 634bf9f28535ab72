/** A customer's e-mail address and its replacement: pure functions (rules 4.10.1). */

import { foldEmail } from '../../ground/base/typed-text.ts';
import type { Facts } from '../../platform/events/event.ts';

/** Replaces the name of a forgotten customer's machine. */
export const FORGOTTEN_HOSTNAME = 'forgotten';

/** Replaces the name of a user of a forgotten customer's license in facts. */
export const FORGOTTEN_USER = 'forgotten';

/** The replacements in facts and texts. */
export interface Replacement {
  /** Compared without case. */
  readonly address: string;
  readonly pseudonym: string;
  /** Whether names of machines and users are replaced, too. */
  readonly replacesHostnames: boolean;
}

/** Returns the text with every occurrence of the address replaced; longer addresses that contain it stay. */
export function textWithout(text: string, { address, pseudonym }: Replacement): string {
  if (foldEmail(text) === address) return pseudonym;
  const before = String.raw`(?<![\p{L}\p{N}._%+-])`;
  const after = String.raw`(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`;
  return text.replace(new RegExp(`${before}${RegExp.escape(address)}${after}`, 'giu'), pseudonym);
}

/** Returns facts, or any part of them, without the address and, on request, without names of machines. */
export function factsWithout<Value>(facts: Value, replacement: Replacement): Value {
  return replaced(facts, replacement) as Value;
}

/** The metadata of a license goes with its customer: it may hold anything about them. */
function kept(facts: Facts, { replacesHostnames }: Replacement): [string, unknown][] {
  return Object.entries(facts).filter(([name]) => name !== 'metadata' || !replacesHostnames);
}

/** The replacement of facts by name. */
const FORGOTTEN: Readonly<Record<string, string>> = { hostname: FORGOTTEN_HOSTNAME, user: FORGOTTEN_USER };

function replaced(value: unknown, replacement: Replacement): unknown {
  if (typeof value === 'string') return textWithout(value, replacement);
  if (Array.isArray(value)) return value.map((each) => replaced(each, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    kept(value as Facts, replacement).map(([name, each]) => [
      name,
      typeof each === 'string' && replacement.replacesHostnames && Object.hasOwn(FORGOTTEN, name)
        ? FORGOTTEN[name]
        : replaced(each, replacement),
    ]),
  );
}
