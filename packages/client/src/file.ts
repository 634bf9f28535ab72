/** `@latchkey/client/file`: reads license files and does nothing else; for build tools, servers and plug-ins. */
import { type LicenseFileClaims, type PublicKey, verifyLicenseFile, webCryptoVerify } from './license-file.ts';

export { BadLicenseFile, type BadLicenseFileReason, type LicenseFileClaims, type PublicKey } from './license-file.ts';

/** The conditions that a valid file must meet. */
export interface ReadOptions {
  /** The public keys of your service. Compile them in, and never take them from the source of the file. */
  readonly publicKeys: readonly PublicKey[];
  /** `urn:latchkey:...` of your service. */
  readonly issuer: string;
  readonly productId: string;
  /** The fingerprint of this machine; null accepts files for any machine. */
  readonly fingerprint: string | null;
  /** Milliseconds since 1970, the present time by default; null accepts expired files, too. */
  readonly now?: number | null;
}

/** Verifies a license file and returns its claims. Rejects with {@link BadLicenseFile} if the file is not valid. */
export function readLicenseFile(text: string, options: ReadOptions): Promise<LicenseFileClaims> {
  const { now = Date.now() } = options;
  return verifyLicenseFile(text, { ...options, now, verifySignature: webCryptoVerify });
}
