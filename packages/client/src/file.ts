/** `@latchkey/client/file`: reads license files, and nothing else; for build tools, servers and plug-ins. */
import { type LicenseFileClaims, type PublicKey, verifyLicenseFile, webCryptoVerify } from './license-file.ts';

export { BadLicenseFile, type BadLicenseFileReason, type LicenseFileClaims, type PublicKey } from './license-file.ts';

/** What a file must be, to count. */
export interface ReadOptions {
  /** The keys that your service signs with; compile them in, and never take them from where the file came from. */
  readonly publicKeys: readonly PublicKey[];
  /** `urn:latchkey:...` of your service. */
  readonly issuer: string;
  readonly productId: string;
  /** The fingerprint of this machine; null reads files of any machine. */
  readonly fingerprint: string | null;
  /** Milliseconds since 1970, the present time unless given; null reads expired files, too. */
  readonly now?: number | null;
}

/** Verifies a license file and answers what it says. Rejects with {@link BadLicenseFile} where it does not count. */
export function readLicenseFile(text: string, options: ReadOptions): Promise<LicenseFileClaims> {
  const { now = Date.now() } = options;
  return verifyLicenseFile(text, { ...options, now, verifySignature: webCryptoVerify });
}
