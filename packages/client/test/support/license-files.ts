/** Signs license files like the service, with keys of the test. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { LicenseFileClaims, PublicKey } from '../../src/license-file.ts';

export const ISSUER = 'urn:latchkey:0123456789abcdef';

/** A key pair that signs. */
export class SigningKey {
  readonly publicKey: PublicKey;
  readonly #privateKey: KeyObject;

  constructor(kid: string) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.#privateKey = privateKey;
    this.publicKey = { kid, x: publicKey.export({ format: 'jwk' }).x as string };
  }

  get privateKey(): KeyObject {
    return this.#privateKey;
  }

  /** A compact JWS with any header and payload. */
  jws(payload: object, header: object = {}): string {
    const full = { alg: 'EdDSA', typ: 'latchkey-license+jwt', kid: this.publicKey.kid, ...header };
    const signed = `${encoded(full)}.${encoded(payload)}`;
    return `${signed}.${sign(null, Buffer.from(signed), this.#privateKey).toString('base64url')}`;
  }

  /** A license file. */
  file(claims: Partial<LicenseFileClaims> & { readonly iat: number }, header?: object): string {
    return armoured(this.jws({ ...EXAMPLE, renewAfter: claims.iat + 7 * 86_400, ...claims }, header));
  }

  /** A list of keys, signed by this one. */
  keyList(...keys: readonly SigningKey[]): string {
    const payload = { iss: ISSUER, iat: 1_800_000_000, keys: keys.map(({ publicKey }) => publicKey) };
    return this.jws(payload, { typ: 'latchkey-keys+jwt' });
  }
}

const EXAMPLE: Omit<LicenseFileClaims, 'iat' | 'renewAfter'> = {
  v: 1,
  iss: ISSUER,
  jti: 'lf_0198c1',
  exp: null,
  purpose: 'offline',
  lic: '0123456789012345678901',
  keyHint: 'WXYZ5',
  fp: null,
  productId: 'app',
  products: ['app'],
  variant: 'indie',
  licenseType: 'per-machine',
  licenseExpiresAt: null,
  maxMachines: 3,
};

export function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function armoured(jws: string): string {
  const lines = jws.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN LATCHKEY LICENSE-----', ...lines, '-----END LATCHKEY LICENSE-----', ''].join('\n');
}

/** The compact JWS of a license file, without its armour. */
export function jwsIn(file: string): string {
  return file.replace(/-----.*-----/g, '').replace(/\s/g, '');
}

/** The claims of a license file, unverified. */
export function payloadIn(file: string): Readonly<Record<string, unknown>> {
  return partOf(file, 1);
}

/** The id of the key that a license file names. */
export function keyIdIn(file: string): unknown {
  return partOf(file, 0).kid;
}

function partOf(file: string, index: number): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(jwsIn(file).split('.')[index] ?? '', 'base64url').toString());
}

/** The hash by which a file names a machine. */
export function hashOf(fingerprint: string): string {
  return createHash('sha256').update(`latchkey-fp:${fingerprint}`).digest('base64url');
}
