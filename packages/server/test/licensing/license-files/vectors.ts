/**
 * The test vectors of docs/vectors/license-files.json: files that must be accepted and files that must be refused.
 * Their keys are derived from their names, so that the vectors are the same each time.
 */
import { createHash, createHmac, sign } from 'node:crypto';
import {
  armoured,
  claimsOf,
  fingerprintHash,
  LICENSE_FILE_TYPE,
} from '../../../src/licensing/license-files/license-file.ts';
import { type SigningKey, signingKeyOf, signJws } from '../../../src/licensing/license-files/signing-key.ts';
import { aLicense } from '../../support/plain-license.ts';
import type { Claims, Expected } from './reading.ts';

/** A file, and its differences from the expectations common to all. */
interface Vector {
  readonly name: string;
  readonly expected?: Partial<Expected>;
  readonly file: string;
}

interface AcceptedVector extends Vector {
  readonly claims: Claims;
}

/** Contents of the file of vectors. */
export interface Vectors {
  readonly about: string;
  readonly expected: Expected;
  readonly accepted: readonly AcceptedVector[];
  readonly refused: readonly Vector[];
}

const keyOf = (name: string): SigningKey => signingKeyOf(createHash('sha256').update(name).digest('base64url'), 0);
const first = keyOf('first key of the test vectors');
const second = keyOf('second key of the test vectors');
const foreign = keyOf('a key that no app carries');

/** 2027-03-01T09:30:00Z. */
const ISSUED_AT = 1_803_893_400;
const MONTH = 30 * 86_400;

const license = aLicense({
  licenseKey: 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ',
  email: 'ada@example.com',
  productId: 'paint',
  variant: 'pro',
  maxMachines: 3,
  unlockedProducts: ['brushes'],
});

const expected: Expected = {
  issuer: 'urn:latchkey:k7qwm2mnpr9xhtbv',
  publicKeys: [first, second].map(({ kid, x }) => ({ kid, x })),
  productId: 'paint',
  fingerprint: '9d2f7c51e8a04b36',
  now: ISSUED_AT + 86_400,
};

const usual: Claims = claimsOf(license, {
  issuer: expected.issuer,
  fileId: 'lf_019ced3e-6a40-7000-8000-5a1b2c3d4e5f',
  purpose: 'grace',
  fingerprint: expected.fingerprint,
  hostname: 'Studio laptop',
  includesEmail: false,
  period: { issuedAt: ISSUED_AT, renewAfter: ISSUED_AT + MONTH / 4, expiresAt: ISSUED_AT + MONTH },
  now: ISSUED_AT * 1000,
});

const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWS with any header and any payload, signed by a key. */
function forged(header: unknown, payload: unknown, key: SigningKey = first): string {
  const signed = `${encoded(header)}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}

const HEADER = { alg: 'EdDSA', typ: LICENSE_FILE_TYPE, kid: first.kid };
const withHeader = (header: object) => armoured(forged({ ...HEADER, ...header }, usual));
const withClaims = (claims: Claims) => armoured(signJws(first, LICENSE_FILE_TYPE, { ...usual, ...claims }));

function without(claim: string): string {
  const { [claim]: _left, ...rest } = usual;
  return armoured(signJws(first, LICENSE_FILE_TYPE, rest));
}

const jws = signJws(first, LICENSE_FILE_TYPE, usual);
const file = armoured(jws);
const [head = '', body = '', signature = ''] = jws.split('.');

/** A text with another letter at one place. */
function altered(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

/** Signed by an attacker who uses the public key as a shared secret. */
function withHmac(): string {
  const signed = `${encoded({ ...HEADER, alg: 'HS256' })}.${body}`;
  const mac = createHmac('sha256', Buffer.from(first.x, 'base64url')).update(signed).digest('base64url');
  return armoured(`${signed}.${mac}`);
}

function accepted(name: string, text: string, claims: Claims, differing?: Partial<Expected>): AcceptedVector {
  return { name, ...(differing === undefined ? {} : { expected: differing }), file: text, claims };
}

const offline: Claims = { ...usual, purpose: 'offline', exp: null, fp: null, email: 'ada@example.com' };

/** All test vectors. */
export function vectors(): Vectors {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: foreign.x };
  return {
    about:
      'docs/apps/license-files.md explains these. `expected` is what an app carries, and where and when it reads a file; a case ' +
      'may have other values for some of it.',
    expected,
    accepted: [
      accepted('a file as the service writes it', file, usual),
      accepted('without the two lines, on one line', jws, usual),
      accepted('with line breaks of Windows and blanks around each line', file.replace(/\n/g, ' \r\n\t'), usual),
      accepted('signed by the second key', armoured(signJws(second, LICENSE_FILE_TYPE, usual)), usual),
      accepted('with the newer name of the algorithm', withHeader({ alg: 'Ed25519' }), usual),
      accepted('one second before it expires', file, usual, { now: ISSUED_AT + MONTH - 1 }),
      accepted('for a product that the license unlocks', file, usual, { productId: 'brushes' }),
      accepted('for any machine and for ever', withClaims(offline), offline, { fingerprint: 'another', now: 9e9 }),
      accepted('with a claim that is not known', withClaims({ later: 1 }), { ...usual, later: 1 }),
      accepted('with letters beyond ASCII', withClaims({ hostname: 'Büro 東京 🖌' }), {
        ...usual,
        hostname: 'Büro 東京 🖌',
      }),
    ],
    refused: [
      { name: 'in the second in which it expires', expected: { now: ISSUED_AT + MONTH }, file },
      { name: 'on another machine', expected: { fingerprint: '9d2f7c51e8a04b37' }, file },
      { name: 'for another product', expected: { productId: 'sculpt' }, file },
      { name: 'of another installation', expected: { issuer: 'urn:latchkey:anotherinstallat' }, file },
      { name: 'of a key that the app does not carry', expected: { publicKeys: expected.publicKeys.slice(1) }, file },
      { name: 'signed by a foreign key under a known name', file: armoured(forged(HEADER, usual, foreign)) },
      {
        name: 'with a foreign key in its own header',
        file: armoured(forged({ ...HEADER, kid: foreign.kid, jwk }, usual, foreign)),
      },
      { name: 'with alg none and no signature', file: armoured(`${encoded({ ...HEADER, alg: 'none' })}.${body}.`) },
      { name: 'with alg none and a signature', file: withHeader({ alg: 'none' }) },
      { name: 'with alg HS256 and the public key as the secret', file: withHmac() },
      { name: 'with the typ of a list of keys', file: withHeader({ typ: 'latchkey-keys+jwt' }) },
      { name: 'with no typ', file: armoured(forged({ alg: 'EdDSA', kid: first.kid }, usual)) },
      { name: 'with no kid', file: armoured(forged({ alg: 'EdDSA', typ: LICENSE_FILE_TYPE }, usual)) },
      { name: 'of format 2', file: withClaims({ v: 2 }) },
      { name: 'without v', file: without('v') },
      { name: 'without iss', file: without('iss') },
      { name: 'without exp', file: without('exp') },
      { name: 'with exp as text', file: withClaims({ exp: String(ISSUED_AT + MONTH) }) },
      { name: 'without fp', file: without('fp') },
      { name: 'with the fingerprint itself as fp', file: withClaims({ fp: expected.fingerprint }) },
      { name: 'with the hash of another text as fp', file: withClaims({ fp: fingerprintHash('latchkey-fp:') }) },
      { name: 'without products', file: without('products') },
      { name: 'with products as text', file: withClaims({ products: 'paint, brushes' }) },
      { name: 'with a payload that is no object', file: armoured(forged(HEADER, '[1]')) },
      { name: 'with a payload that is no JSON', file: armoured(forged(HEADER, 'v=1')) },
      { name: 'with a letter of the header changed', file: armoured(altered(jws, 5)) },
      { name: 'with a letter of the payload changed', file: armoured(altered(jws, head.length + 20)) },
      { name: 'with a letter of the signature changed', file: armoured(altered(jws, jws.length - 40)) },
      {
        name: 'with a later exp under the old signature',
        file: armoured(`${head}.${encoded({ ...usual, exp: 9e9 })}.${signature}`),
      },
      { name: 'with the signature cut', file: armoured(jws.slice(0, -4)) },
      { name: 'with a signature of 63 bytes', file: armoured(`${head}.${body}.${signature.slice(0, 84)}`) },
      { name: 'with a letter that base64url does not have', file: armoured(`${head}.${body}.~${signature.slice(1)}`) },
      { name: 'with an empty signature', file: armoured(`${head}.${body}.`) },
      { name: 'of two parts', file: armoured(`${head}.${body}`) },
      { name: 'of four parts', file: armoured(`${jws}.${signature}`) },
      { name: 'that is empty', file: armoured('') },
      { name: 'that is no file at all', file: 'Dear customer, please find your license attached.' },
    ],
  };
}

/** The file as committed. */
export function vectorsText(): string {
  return `${JSON.stringify(vectors(), null, 2)}\n`;
}
