/** The texts of refusals for the person at the console: the cause, whether anything was changed, and the next step. */
import type { FailureCode, Refusal } from './refusal.ts';
import words from './refusal-words.json' with { type: 'json' };

/** The text of a refusal. */
export interface RefusalWords {
  readonly title: string;
  /** The next step. */
  readonly advice: string;
}

/** The title, null for the service's own message, and the advice. */
type Entry = readonly [title: string | null, advice: string];

const UNREACHABLE: Entry = ['The service did not answer.', 'Check the connection. Trying again changes nothing twice.'];

const WORDS = { ...words, unreachable: UNREACHABLE } as unknown as Readonly<Record<FailureCode, Entry>>;

/** For codes that this page has no text for, as from a newer service. */
const UNKNOWN: Entry = [null, 'Nothing was changed.'];

/** The text of a refusal. */
export function wordsFor(refusal: Pick<Refusal, 'code' | 'message'>): RefusalWords {
  const [title, advice] = WORDS[refusal.code] ?? UNKNOWN;
  return { title: title ?? sentence(refusal.message), advice };
}

/** All codes that have a text. */
export const codesWithWords = Object.keys(WORDS) as readonly FailureCode[];

/** The two times by which the service compares versions of a thing; its author stands before them. */
const VERSIONS = /: updatedAt from \S+ to \S+$/;

function sentence(message: string): string {
  const text = message.replace(VERSIONS, '');
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
