/** The service's certificate: the operator's, or a self-signed one (rules 1.1). */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { canonicalAddress } from '../../ground/base/network-address.ts';
import { type CertificateFacts, MAX_NAMES } from '../../platform/endpoint/node-facts.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { accessWarnings, CERTIFICATE_FILE, createOnce, readIfThere, replaceFile } from '../config/data-directory.ts';

/**
 * Lifetime of a self-signed certificate. Apple's systems reject server certificates that last more than 825 days, even
 * those that a user has trusted.
 */
const LIFETIME_MS = 730 * DAY_MS;
/**
 * A self-signed certificate with less time left is renewed, so that none expires while the service runs for a month.
 */
const RENEWAL_MS = 30 * DAY_MS;
/** The operator is warned this long before expiry. */
export const WARNING_MS = 30 * DAY_MS;
/** Certificates begin in the past, for clients whose clock is slow. */
const BACKDATING_MS = 24 * HOUR_MS;

/** The certificate and key for a TLS server, with notices for the operator. */
export interface Certificate {
  /** PEM: the certificate, followed by the operator's intermediate certificates. */
  readonly certificate: string;
  /** PEM. Secret. */
  readonly key: string;
  /** Path of the certificate; clients trust a self-signed one with `curl --cacert <this file>`. */
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly isSelfSigned: boolean;
  /** Start of validity in milliseconds since 1970: clients refuse the certificate before. */
  readonly startsAt: number;
  /** Expiry in milliseconds since 1970. */
  readonly endsAt: number;
  /** Sentences for the operator: the certificate was renewed, expires soon, or other users can read the key. */
  readonly notices: readonly string[];
}

/**
 * Reads the operator's certificate, or the self-signed one in the data directory. The self-signed one is created if
 * missing and replaced if damaged; {@link renewWhereDue} renews it. The data directory exists already: it is created by
 * runtime/config/secrets.ts.
 *
 * @param now milliseconds since 1970
 * @throws ConfigError if the operator's files hold no certificate and key, or a mismatched pair
 */
export async function openCertificate(config: Config, now: number): Promise<Certificate> {
  return config.tlsFiles === null
    ? await selfSignedCertificate(config.dataDirectory, now)
    : givenCertificate(config.tlsFiles.certificateFile, config.tlsFiles.keyFile, now);
}

/**
 * Renews a self-signed certificate that expires within 30 days, has expired, or is not valid yet because it was made
 * while the clock was fast. Clients must then trust the new certificate, so callers ask only while the clock is
 * believed (believed-time/).
 *
 * @param now milliseconds since 1970
 * @returns the new certificate, whose notices give the reason; null if no renewal is due
 */
export async function renewWhereDue(opened: Certificate, now: number): Promise<Certificate | null> {
  const reason = opened.isSelfSigned ? reasonOfTime(opened, now) : null;
  if (reason === null) return null;
  const { certificate } = await sign(now, createPrivateKey(opened.key));
  replaceFile(opened.certificateFile, certificate);
  return {
    ...opened,
    certificate,
    ...validityOf(new X509Certificate(certificate)),
    notices: [madeAnew(opened, reason)],
  };
}

/**
 * Rereads the files of {@link openCertificate} while the service runs; creates nothing.
 *
 * @throws ConfigError like openCertificate, and file system errors when a file cannot be read
 */
export function readCertificate({ certificateFile, keyFile, isSelfSigned }: Certificate, now: number): Certificate {
  if (!isSelfSigned) return givenCertificate(certificateFile, keyFile, now);
  const certificate = readFileSync(certificateFile, 'utf8');
  const key = readFileSync(keyFile, 'utf8');
  const parsed = parsedCertificate(certificate);
  const parsedKey = parsedPrivateKey(key);
  if (parsed === null || parsedKey === null || !parsed.checkPrivateKey(parsedKey) || !canServe(certificate, key))
    throw new ConfigError([`${certificateFile} and ${keyFile} hold no certificate with its key`]);
  return { certificate, key, certificateFile, keyFile, isSelfSigned, ...validityOf(parsed), notices: [] };
}

/**
 * Checks what {@link openCertificate} would report, without creating anything.
 *
 * @returns the notices for the operator
 * @throws ConfigError like openCertificate
 */
export function checkCertificate(config: Config, now: number): readonly string[] {
  if (config.tlsFiles !== null)
    return givenCertificate(config.tlsFiles.certificateFile, config.tlsFiles.keyFile, now).notices;
  const { certificateFile, keyFile } = selfSignedFiles(config.dataDirectory);
  const key = readIfThere(keyFile);
  if (key === undefined) return [];
  usableKey(key, keyFile, certificateFile);
  const parsed = parsedCertificate(readIfThere(certificateFile) ?? '');
  const { startsAt } = parsed === null ? { startsAt: now } : validityOf(parsed);
  return [
    ...accessWarnings(keyFile),
    ...(startsAt > now ? [notValidYet({ certificateFile, isSelfSigned: true, startsAt })] : []),
  ];
}

/** The sentence about a certificate that is not valid yet, with the next step. */
export function notValidYet({
  certificateFile,
  isSelfSigned,
  startsAt,
}: Pick<Certificate, 'certificateFile' | 'isSelfSigned' | 'startsAt'>): string {
  const name = isSelfSigned ? 'the self-signed certificate' : 'the certificate';
  const next = isSelfSigned
    ? "Correct this machine's clock if it is behind. The service replaces the certificate within a minute after it believes " +
      'the clock (latchkey check shows whether it does)'
    : "Correct this machine's clock if it is behind, or replace the files by a certificate that is valid now";
  return `${name} in ${certificateFile} is not valid before ${toTimestamp(startsAt)}, and clients reject it. ${next}`;
}

/**
 * The publishable facts of a certificate. Its names are those of `subjectAltName`, which clients check; without any,
 * its common name.
 */
export function describeCertificate(described: Certificate): CertificateFacts {
  const { certificate, certificateFile, startsAt, endsAt, isSelfSigned } = described;
  const { subjectAltName, subject } = new X509Certificate(certificate);
  const alternatives = [...(subjectAltName ?? '').matchAll(/(?:^|, )(?:DNS|IP Address):([^,]+)/g)];
  const commonName = /^CN=(.+)$/m.exec(subject ?? '');
  const names = (alternatives.length > 0 ? alternatives : [commonName ?? []]).flatMap(([, name]) => name ?? []);
  const shown = names.slice(0, MAX_NAMES).map((name) => canonicalAddress(name) ?? name);
  const trust = isSelfSigned ? { file: resolve(certificateFile), pem: certificate } : null;
  return { names: shown, startsAt, endsAt, isSelfSigned, trust };
}

function givenCertificate(certificateFile: string, keyFile: string, now: number): Certificate {
  const certificate = readFileSync(certificateFile, 'utf8');
  const key = readFileSync(keyFile, 'utf8');
  const parsed = parsedCertificate(certificate);
  const parsedKey = parsedPrivateKey(key);
  const errors: string[] = [];
  if (parsed === null) errors.push(`LATCHKEY_TLS_CERT_FILE names ${certificateFile}, which holds no PEM certificate`);
  if (parsedKey === null) {
    errors.push(`LATCHKEY_TLS_KEY_FILE names ${keyFile}, which holds no PEM private key without a passphrase`);
  }
  if (parsed !== null && parsedKey !== null && !parsed.checkPrivateKey(parsedKey)) {
    errors.push(
      `LATCHKEY_TLS_KEY_FILE names ${keyFile}, whose key does not belong to the first certificate in ${certificateFile}`,
    );
  }
  if (errors.length === 0 && !canServe(certificate, key)) {
    errors.push(`LATCHKEY_TLS_CERT_FILE names ${certificateFile}, which OpenSSL refuses to serve with its key`);
  }
  if (parsed === null || errors.length > 0) throw new ConfigError(errors);
  const { startsAt, endsAt } = validityOf(parsed);
  const notices = accessWarnings(keyFile);
  if (startsAt > now) notices.push(notValidYet({ certificateFile, isSelfSigned: false, startsAt }));
  if (endsAt <= now) notices.push(`the certificate in ${certificateFile} expired on ${toTimestamp(endsAt)}`);
  else if (endsAt <= now + WARNING_MS)
    notices.push(`the certificate in ${certificateFile} expires on ${toTimestamp(endsAt)}`);
  return { certificate, key, certificateFile, keyFile, isSelfSigned: false, startsAt, endsAt, notices };
}

/**
 * The key is created once and kept, and the certificate is made from it. So processes that share the directory and
 * start at the same moment end up with one matching pair.
 */
async function selfSignedCertificate(directory: string, now: number): Promise<Certificate> {
  const { certificateFile, keyFile } = selfSignedFiles(directory);
  const existingOrNew = readIfThere(keyFile) ?? (await sign(now)).key;
  const key = createOnce(keyFile, () => existingOrNew);
  const parsedKey = usableKey(key, keyFile, certificateFile);
  const notices = accessWarnings(keyFile);
  const existing = readIfThere(certificateFile);
  const damage = existing === undefined ? null : damageOf(existing, parsedKey);
  if (existing === undefined) {
    const made = await sign(now, parsedKey);
    createOnce(certificateFile, () => made.certificate);
  } else if (damage !== null) {
    replaceFile(certificateFile, (await sign(now, parsedKey)).certificate);
    notices.push(madeAnew({ certificateFile }, damage));
  }
  const certificate = readFileSync(certificateFile, 'utf8');
  const validity = validityOf(new X509Certificate(certificate));
  if (validity.startsAt > now)
    notices.push(notValidYet({ certificateFile, isSelfSigned: true, startsAt: validity.startsAt }));
  return { certificate, key, certificateFile, keyFile, isSelfSigned: true, ...validity, notices };
}

function validityOf(parsed: X509Certificate): Pick<Certificate, 'startsAt' | 'endsAt'> {
  return { startsAt: parsed.validFromDate.getTime(), endsAt: parsed.validToDate.getTime() };
}

function madeAnew({ certificateFile }: Pick<Certificate, 'certificateFile'>, reason: string): string {
  return `the self-signed certificate in ${certificateFile} ${reason} and was replaced: clients must trust the new one`;
}

function selfSignedFiles(directory: string): { certificateFile: string; keyFile: string } {
  return { certificateFile: join(directory, CERTIFICATE_FILE), keyFile: join(directory, 'tls-key.pem') };
}

function usableKey(key: string, keyFile: string, certificateFile: string): KeyObject {
  const parsed = parsedPrivateKey(key);
  if (parsed !== null) return parsed;
  throw new ConfigError([
    `${keyFile} holds no private key; remove it and ${certificateFile} to have both created again`,
  ]);
}

/** The reason that a self-signed certificate cannot be served; null if it can. */
function damageOf(certificate: string, key: KeyObject): string | null {
  const parsed = parsedCertificate(certificate);
  if (parsed === null) return 'could not be read';
  return parsed.checkPrivateKey(key) ? null : 'did not belong to the key beside it';
}

/**
 * The reason to renew a certificate because of its dates (not valid yet, expired, or expiring within 30 days); null if
 * none applies.
 */
function reasonOfTime({ startsAt, endsAt }: Certificate, now: number): string | null {
  if (startsAt > now) return `was not valid before ${toTimestamp(startsAt)}`;
  if (endsAt <= now) return `expired on ${toTimestamp(endsAt)}`;
  if (endsAt <= now + RENEWAL_MS) return `was to expire on ${toTimestamp(endsAt)}`;
  return null;
}

/**
 * Signs a certificate for this machine's own names, with `key` or a new ECDSA P-256 key. The certificate is its own
 * trust anchor. It declares that it is not a certificate authority, because Firefox and rustls reject a server that
 * presents an authority's certificate. It has no keyUsage: some libraries accept a self-signed certificate only if an
 * existing keyUsage allows certificate signing, and others forbid that usage to anything that is not an authority.
 */
async function sign(now: number, key?: KeyObject): Promise<{ certificate: string; key: string }> {
  // Loaded on demand, because it brings a whole X.509 library along. The default export is used because it is the only
  // name that a bundle gives a CommonJS module.
  const { default: selfsigned } = await import('selfsigned');
  const made = await selfsigned.generate([{ name: 'commonName', value: 'Latchkey (self-signed)' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - BACKDATING_MS),
    notAfterDate: new Date(now - BACKDATING_MS + LIFETIME_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
    ...(key === undefined ? {} : { keyPair: keyPair(key) }),
  });
  return { certificate: `${made.cert}\n`, key: made.private };
}

function keyPair(key: KeyObject): { privateKey: string; publicKey: string } {
  return {
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  };
}

const parsedCertificate = (pem: string) => orNull(() => new X509Certificate(pem));
const parsedPrivateKey = (pem: string) => orNull(() => createPrivateKey(pem));

/**
 * True if a TLS server can start with this pair. OpenSSL rejects short keys, and damaged data after the first
 * certificate.
 */
function canServe(certificate: string, key: string): boolean {
  return orNull(() => createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' })) !== null;
}

/** The value, or null where making it fails. */
function orNull<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch {
    return null;
  }
}
