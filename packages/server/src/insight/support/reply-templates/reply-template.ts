/** Templates of replies to customers: the operator's, and those of each creator (rules 4.3.5). */
import { mintOrderedUuid } from '../../../ground/base/random.ts';
import { type Refusal, refuse } from '../../../platform/endpoint/refusals.ts';
import type { VERDICTS } from '../verdict-views.ts';

export interface ReplyTemplate {
  readonly templateId: string;
  /** Null: the operator. */
  readonly creatorId: string | null;
  readonly name: string;
  readonly text: string;
  /** The verdict that it is for; null: any. */
  readonly verdict: (typeof VERDICTS)[number] | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Maximum number of templates of one owner. */
export const MAX_TEMPLATES = 50;
/** Maximum size of a text in bytes. */
export const LONGEST_TEXT = 4096;
/** The placeholders that a text may hold, without their braces. The console fills them in. */
export const PLACEHOLDERS = ['product', 'machine', 'email', 'end', 'limit', 'used'] as const;
/** The placeholders as people write them. */
export const PLACEHOLDER_LIST = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');

export function mintTemplateId(now: number): string {
  return `rt_${mintOrderedUuid(now)}`;
}

/** Whether a text has the form of a template id. */
export function isTemplateId(text: string): boolean {
  return /^rt_[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/.test(text);
}

/** Refuses a text that is too long or holds an unknown placeholder, which a customer would read as it stands. */
export function refuseText(text: string): Refusal<'invalid_field'> | null {
  if (Buffer.byteLength(text) > LONGEST_TEXT) return invalid(`text must have at most ${LONGEST_TEXT} bytes`);
  for (const [written, name] of text.matchAll(/\{([A-Za-z]+)\}/g))
    if (!(PLACEHOLDERS as readonly (string | undefined)[]).includes(name))
      return invalid(`text must have no placeholders except ${PLACEHOLDER_LIST}; it has ${written.slice(0, 40)}`);
  return null;
}

function invalid(message: string): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message } });
}
