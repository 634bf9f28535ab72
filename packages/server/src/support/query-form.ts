/** What the text of a search may be, told by its form alone: pure rules (rules 4.3.1). */
import { afterBeginning, foldAscii } from '../storage/storage.ts';

/** A range of texts in the order of the database: those that begin alike. */
export interface Beginning {
  readonly from: string;
  /** Not in the range itself. */
  readonly to: string;
}

/** What is looked up for a text. Each is one look-up; what is absent is not looked up. */
export interface LookUps {
  /** License keys. */
  readonly key?: Beginning;
  /** E-mail addresses of customers, in the form in which they are compared. */
  readonly email?: Beginning & { readonly whole: string };
  readonly purchaseId?: string;
  readonly studioOrderId?: string;
  readonly seatCode?: string;
  /** Slugs as they are written, and names in the case in which they are compared. */
  readonly product?: { readonly slug: Beginning; readonly name: Beginning };
  readonly discountCode?: string;
  readonly requestId?: string;
  /** Hostnames in the case in which they are compared. */
  readonly hostname?: Beginning;
  readonly fingerprint?: string;
}

/** So many look-ups are made for one text at most. */
export const MOST_LOOK_UPS = 8;

/** Shorter beginnings would find too much to be of use. */
const SHORTEST_KEY = 5;
const SHORTEST_BEGINNING = 3;

/** The secrets that this service makes: of the operator and the storefront, and API keys, whole or in good part. */
const MADE_SECRET = /(?:^|[^\w-])lk[a-z]?_[\w-]{20,}/;
/** A session token, or any other signed text of that form. */
const TOKEN = /(?:^|[^\w-])eyJ[\w-]*\.[\w-]+\.[\w-]*/;
/** What a credential is called where one is pasted together with its name. */
const NAMED_SECRET =
  /\b(?:(?:admin|webhook)secret|apikey|x-(?:admin-secret|webhook-secret|api-key)|authorization)\b["']?\s*[:=]|\bbearer\s+\S{16}/i;

/** Whether a text looks like a credential or holds one: nobody has to search for these. */
export function looksLikeSecret(text: string): boolean {
  return MADE_SECRET.test(text) || TOKEN.test(text) || NAMED_SECRET.test(text);
}

const STUDIO_ORDER_ID = /^so_[0-9a-f-]{36}$/i;
const SEAT_CODE = /^STUDIO-[A-Z0-9]{4}-[A-Z0-9]{4}$/i;
/** Letters and digits of a key of ours, whatever separates its groups. */
const KEY_CHARACTERS = /^[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{5,25}$/;
/** What the header X-Request-Id may hold. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * What to look up for a text. The form of the text decides; who asks decides only whether machines are searched.
 *
 * @param query what somebody typed, not empty
 * @param isOperator whether machines are looked up, too
 */
export function lookUpsFor(query: string, isOperator: boolean): LookUps {
  const text = query.trim();
  if (text === '') return {};
  if (SEAT_CODE.test(text)) return { seatCode: text.toUpperCase(), ...machinesOf(text, isOperator) };
  if (STUDIO_ORDER_ID.test(text)) return { studioOrderId: text.toLowerCase(), ...machinesOf(text, isOperator) };
  const folded = text.toLowerCase();
  if (text.includes('@'))
    return {
      ...(/\s/.test(text) ? {} : { email: { ...beginningWith(folded), whole: folded } }),
      purchaseId: text,
      ...machinesOf(text, isOperator),
    };
  const isLong = text.length >= SHORTEST_BEGINNING;
  return {
    ...keyOf(text),
    ...(isLong && isOperator && !/\s/.test(text) ? { email: { ...beginningWith(folded), whole: folded } } : {}),
    purchaseId: text,
    ...(isLong ? { product: { slug: beginningWith(text), name: beginningWith(foldAscii(text)) } } : {}),
    discountCode: folded,
    ...(REQUEST_ID.test(text) ? { requestId: text } : {}),
    ...machinesOf(text, isOperator),
  };
}

function machinesOf(text: string, isOperator: boolean): Pick<LookUps, 'hostname' | 'fingerprint'> {
  if (!isOperator) return {};
  return {
    ...(text.length < SHORTEST_BEGINNING ? {} : { hostname: beginningWith(foldAscii(text)) }),
    fingerprint: text,
  };
}

/** The keys that begin with what was typed, whatever separates its groups. A key of another form is taken as it is. */
function keyOf(text: string): Pick<LookUps, 'key'> {
  const typed = text.toUpperCase();
  const characters = typed.replace(/[\s-]/g, '');
  if (characters.length < SHORTEST_KEY) return {};
  if (!KEY_CHARACTERS.test(characters)) return /\s/.test(typed) ? {} : { key: beginningWith(typed) };
  // A hyphen at the end of what was typed would exclude nothing.
  return { key: beginningWith(characters.replace(/.{5}(?=.)/g, '$&-')) };
}

function beginningWith(text: string): Beginning {
  return { from: text, to: afterBeginning(text) };
}
