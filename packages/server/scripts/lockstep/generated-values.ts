/** The forms of the values that the service generates. Two answers may differ in them, and in nothing else. */
import type { Both, Side, Twins } from './twins.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const GROUP = '[A-HJ-KM-NP-Z2-9]';

/** Forms that are recognized anywhere in a text, the longer ones first. */
const ANYWHERE: Readonly<Record<string, string>> = {
  'license file': '-----BEGIN LATCHKEY LICENSE-----[^]+?-----END LATCHKEY LICENSE-----',
  'session token': 'eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+',
  'operator key': 'lko_[\\w-]{30,}',
  'API key': 'lk_[\\w-]{30,}',
  'destination secret': 'whsec_[\\w+/=-]{30,}',
  event: `evt_${UUID}`,
  'studio order': `so_${UUID}`,
  id: `(?:[a-z]+_)?${UUID}`,
  digest: '(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])',
  pseudonym: 'forgotten-[\\w-]+@invalid',
  'seat code': `STUDIO-${GROUP}{4}-${GROUP}{4}`,
  'license key': `(?<![\\w-])${GROUP}{5}(?:-${GROUP}{5}){4}(?![\\w-])`,
  'signing key': '(?<![\\w-])k[0-9a-f]{12}(?![\\w-])',
  cookie: '(?<==)[\\w-]{43}(?=;)',
};
const KINDS = Object.keys(ANYWHERE);
const PARTS = new RegExp(KINDS.map((kind) => `(${ANYWHERE[kind]})`).join('|'), 'g');

/** Lengths of values of base64url that are a whole text: request ids, other ids, and keys. Words have no digits. */
const WHOLE = /^(?=.*[A-Z0-9])(?:[\w-]{14}|[\w-]{16}|[\w-]{22}|[\w-]{43}|[\w-]{86})$/;
/** Fields whose values are opaque. */
const OPAQUE = /cursor$/i;

/**
 * Whether two texts say the same, once their generated values are paired.
 *
 * @param field the name of the field that holds them
 */
export function sayTheSame(texts: Both<string>, field: string, twins: Twins): boolean {
  const [here, beside] = [partsOf(texts.here), partsOf(texts.beside)];
  if (here.length === beside.length && here.length > 1) {
    return here.every((part, index) => {
      const other = beside[index]!;
      if (part.kind !== other.kind) return false;
      if (part.kind === null) return part.text === other.text;
      return twins.pair({ here: part.text, beside: other.text }, part.kind) !== null;
    });
  }
  if (OPAQUE.test(field) || (WHOLE.test(texts.here) && WHOLE.test(texts.beside)))
    return twins.pair(texts, field) !== null;
  return texts.here === texts.beside;
}

/** Whether a text is or contains a generated value. `field` is the name of the field that holds it. */
export function isGenerated(text: string, field: string): boolean {
  return OPAQUE.test(field) || WHOLE.test(text) || partsOf(text).length > 1;
}

interface Part {
  /** Null for text between generated values. */
  readonly kind: string | null;
  readonly text: string;
}

/** A text, divided into generated values and the texts before, between and after them. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(PARTS)) {
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)]!;
    parts.push({ kind: null, text: text.slice(end, match.index) }, { kind, text: match[0] });
    end = match.index + match[0].length;
  }
  return [...parts, { kind: null, text: text.slice(end) }];
}

/** A text for a report, without its generated values, because some of them are secrets. */
export function withoutGenerated(text: string, side: Side, twins: Twins): string {
  const name = (kind: string, value: string) => String(twins.of(side, value) ?? `<${kind}, unpaired>`);
  const whole = twins.of(side, text);
  if (whole !== undefined) return String(whole);
  return partsOf(text)
    .map(({ kind, text: part }) => (kind === null ? part : name(kind, part)))
    .join('');
}
