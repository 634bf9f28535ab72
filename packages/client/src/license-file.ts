/**
 * Signed license files: a compact JWS in armour, signed with Ed25519. The verifier trusts only the keys compiled into
 * the app, and nothing that the file itself contains.
 */
import type { AnyLicenseType, Features } from './state.ts';

/** A key that signs license files: `x` is the public part as in a JWK, base64url. */
export interface PublicKey {
  readonly kid: string;
  readonly x: string;
}

/** The claims of a license file. Times are seconds since 1970. */
export interface LicenseFileClaims {
  readonly v: 1;
  readonly iss: string;
  /** Identifies the file. */
  readonly jti: string;
  readonly iat: number;
  /** The time from which the app asks for a newer file. */
  readonly renewAfter: number;
  /** The end of the file's validity; null for no end. */
  readonly exp: number | null;
  /** `grace`: fetched by the app; `offline`: made by an operator for a machine without a network. */
  readonly purpose: 'grace' | 'offline' | 'borrow';
  readonly lic: string;
  readonly keyHint: string;
  /** Hash of the fingerprint of the machine; null for any machine. */
  readonly fp: string | null;
  readonly productId: string;
  /** Every product that the license opens. */
  readonly products: readonly string[];
  readonly variant: string;
  readonly licenseType: AnyLicenseType;
  readonly licenseExpiresAt: number | null;
  readonly maxMachines?: number;
  readonly hostname?: string;
  readonly email?: string;
  readonly features?: Features;
  /** The end of each feature that has one. */
  readonly featureEnds?: Readonly<Record<string, number>>;
  readonly updatesUntil?: number | null;
  readonly maxVersion?: string | null;
}

/**
 * The first failed check, in the order of the checks; `refused`: the server refused the license after the file was
 * made.
 */
export type BadLicenseFileReason =
  | 'format'
  | 'algorithm'
  | 'type'
  | 'key'
  | 'signature'
  | 'claims'
  | 'issuer'
  | 'product'
  | 'machine'
  | 'expired'
  | 'refused';

/** The text is not a valid license file for this app and machine. */
export class BadLicenseFile extends Error {
  override readonly name = 'BadLicenseFile';
  readonly reason: BadLicenseFileReason;

  constructor(reason: BadLicenseFileReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Whether the key `x` (base64url) made the signature of a message. */
export type VerifySignature = (x: string, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;

/** The conditions that a valid file must meet. */
export interface LicenseFileExpectation {
  readonly publicKeys: readonly PublicKey[];
  readonly issuer: string;
  readonly productId: string;
  /** The fingerprint of this machine; null accepts files for any machine, as in a tool of the vendor. */
  readonly fingerprint: string | null;
  /** Milliseconds since 1970; null accepts expired files, too. */
  readonly now: number | null;
  readonly verifySignature: VerifySignature;
}

/** Room for 50 features with texts of 200 characters. */
const MAX_TEXT = 65_536;
const BEGIN = '-----BEGIN LATCHKEY LICENSE-----';
const END = '-----END LATCHKEY LICENSE-----';

/** Verifies a license file and returns its claims. Rejects with {@link BadLicenseFile}. */
export async function verifyLicenseFile(text: string, expected: LicenseFileExpectation): Promise<LicenseFileClaims> {
  const payload = await verifyJws(withoutArmour(text), 'latchkey-license+jwt', expected);
  const claims = claimsOf(payload);
  const { issuer, productId, fingerprint, now } = expected;
  if (claims.iss !== issuer) fail('issuer', 'the file comes from another service');
  if (!claims.products.includes(productId)) fail('product', 'the file is for another product');
  if (claims.fp !== null && fingerprint !== null && claims.fp !== (await fingerprintHash(fingerprint)))
    fail('machine', 'the file is for another machine');
  if (now !== null && claims.exp !== null && claims.exp * 1000 <= now) fail('expired', 'the file has expired');
  return claims;
}

/** The compact JWS inside the armour; a JWS without armour is accepted, too. */
function withoutArmour(text: string): string {
  if (text.length > MAX_TEXT) fail('format', 'the file is too large');
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const inside =
    trimmed.startsWith(BEGIN) && trimmed.endsWith(END) ? trimmed.slice(BEGIN.length, -END.length) : trimmed;
  return inside.replace(/\s+/g, '');
}

/** Verifies a compact JWS with the key that its header names, and returns its payload. */
export async function verifyJws(
  jws: string,
  type: string,
  { publicKeys, verifySignature }: Pick<LicenseFileExpectation, 'publicKeys' | 'verifySignature'>,
): Promise<Readonly<Record<string, unknown>>> {
  const [head = '', body = '', signature = '', ...rest] = jws.split('.');
  if (rest.length > 0) fail('format', 'this is not a license file');
  const header = objectIn(head);
  const signatureBytes = bytesOf(signature);
  // RFC 9864 renames the algorithm. Both names mean the same here, because all keys are Ed25519.
  if (header.alg !== 'EdDSA' && header.alg !== 'Ed25519') fail('algorithm', 'the file is signed in an unknown way');
  if (header.typ !== type) fail('type', 'this is a file of another kind');
  const key = publicKeys.find(({ kid }) => kid === header.kid);
  if (key === undefined) fail('key', 'the file is signed with a key that this app does not know');
  const isGenuine = await verifySignature(key.x, new TextEncoder().encode(`${head}.${body}`), signatureBytes);
  if (!isGenuine) fail('signature', 'the file was changed, or is not genuine');
  return objectIn(body);
}

function claimsOf(fields: Readonly<Record<string, unknown>>): LicenseFileClaims {
  const { v, iss, jti, iat, renewAfter, exp, purpose, lic, keyHint, fp, products, licenseExpiresAt } = fields;
  const { productId, variant, licenseType } = fields;
  const areTexts = [iss, jti, lic, keyHint, productId, variant, licenseType].every((text) => typeof text === 'string');
  const areTimes = [iat, renewAfter, exp ?? 0, licenseExpiresAt ?? 0].every(Number.isSafeInteger);
  const isComplete = exp !== undefined && licenseExpiresAt !== undefined && (fp === null || typeof fp === 'string');
  const isKnown = ['grace', 'offline', 'borrow'].includes(purpose as string);
  const areProducts = Array.isArray(products) && products.every((product) => typeof product === 'string');
  if (v !== 1 || !areTexts || !areTimes || !isComplete || !isKnown || !areProducts)
    fail('claims', 'the file is of a later version than this app understands');
  return fields as unknown as LicenseFileClaims;
}

/** The hash by which a license file names a machine: base64url of SHA-256. */
export async function fingerprintHash(fingerprint: string): Promise<string> {
  const text = new TextEncoder().encode(`latchkey-fp:${fingerprint}`);
  return base64urlOf(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
}

function objectIn(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)));
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  return fail('format', 'this is not a license file');
}

/** Decodes base64url. Accepts only the spelling without stray bits, so that every value has one encoding. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  try {
    if (/^[\w-]+$/.test(text)) {
      const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
      if (base64urlOf(bytes) === text) return bytes;
    }
  } catch {
    // Reported below.
  }
  return fail('format', 'this is not a license file');
}

/** Encodes as base64url without padding. */
export function base64urlOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}

function fail(reason: BadLicenseFileReason, message: string): never {
  throw new BadLicenseFile(reason, message);
}

/** Verifies with WebCrypto, which browsers, workers, Deno, Bun and Node.js have. */
export const webCryptoVerify: VerifySignature = async (x, message, signature) => {
  const key = await crypto.subtle.importKey('raw', bytesOf(x), { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify(
    { name: 'Ed25519' },
    key,
    signature as Uint8Array<ArrayBuffer>,
    message as Uint8Array<ArrayBuffer>,
  );
};
