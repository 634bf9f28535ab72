/**
 * Watches the certificate while the service runs: replaced files take effect without a restart, and the operator is
 * warned before the certificate expires (rules 1.1). A tool may replace the files one after the other, or only partly,
 * so files that cannot be served leave the current certificate in place.
 */
import { statSync } from 'node:fs';
import { type Clock, DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { ConfigError } from '../config/config.ts';
import { type Certificate, readCertificate, renewWhereDue, WARNING_MS } from './certificate.ts';

export interface CertificateListeners {
  /** A new certificate is to be served from now on. An exception refuses it. */
  replaced(certificate: Certificate): void;
  /** The files changed but cannot be served; called once per change. */
  refused(errors: readonly string[]): void;
  /** The certificate is not valid yet; called once a day. */
  early(certificate: Certificate): void;
  /** True if the clock is believed: only then is a self-signed certificate renewed. */
  mayRenew(): boolean;
  /** The certificate expires within 30 days or has expired; called once a day. `daysLeft` is negative after expiry. */
  ending(certificate: Certificate, daysLeft: number): void;
}

export interface CertificateWatch {
  /** The certificate being served. */
  readonly certificate: Certificate;
  /** Checks the files and the date; called at intervals. Like `reload`, it reports errors and throws none. */
  look(): void;
  /** Like `look`, but rereads the files even if they appear unchanged. */
  reload(): void;
}

/** Starts with a certificate that is already served, and whose notices have already warned of a near expiry. */
export function watchCertificate(opened: Certificate, clock: Clock, on: CertificateListeners): CertificateWatch {
  let certificate = opened;
  let lastSeen = identityOf(opened);
  let lastWarnedAt = clock();
  let isRenewing = false;

  function read(identity: string): void {
    // Recorded before the files are read, so that a concurrent change is seen next time.
    lastSeen = identity;
    try {
      const found = readCertificate(certificate, clock());
      if (found.certificate === certificate.certificate && found.key === certificate.key) return;
      on.replaced(found);
      certificate = found;
      lastWarnedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      on.refused(error instanceof ConfigError ? error.errors : [String(error)]);
    }
  }

  function warn(): void {
    const now = clock();
    const { startsAt, endsAt } = certificate;
    const isEarly = startsAt > now;
    if ((!isEarly && endsAt > now + WARNING_MS) || Math.abs(now - lastWarnedAt) < DAY_MS) return;
    lastWarnedAt = now;
    if (isEarly) on.early(certificate);
    else on.ending(certificate, Math.floor((endsAt - now) / DAY_MS));
  }

  /**
   * Renews a certificate that was made while the clock was fast, once the clock is right; see {@link renewWhereDue}.
   */
  function renewEarly(): void {
    const now = clock();
    if (isRenewing || !certificate.isSelfSigned || certificate.startsAt <= now || !on.mayRenew()) return;
    isRenewing = true;
    renewWhereDue(certificate, now)
      .then(() => read(identityOf(certificate)))
      .catch((error: unknown) => on.refused([String(error)]))
      .finally(() => {
        isRenewing = false;
      });
  }

  return {
    get certificate() {
      return certificate;
    },
    look() {
      const identity = identityOf(certificate);
      if (identity !== lastSeen) read(identity);
      renewEarly();
      warn();
    },
    reload() {
      read(identityOf(certificate));
      warn();
    },
  };
}

/** Changes when either file is replaced or its length or modification time changes. */
function identityOf({ certificateFile, keyFile }: Certificate): string {
  return [certificateFile, keyFile].map(identityOfFile).join(' ');
}

/** An error counts as a change: the read that follows meets the same error and reports it. */
function identityOfFile(file: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [dev, ino, size, mtimeMs, ctimeMs].join(':');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** The log line about an expiring certificate, in the words of start.noticed. */
export function endingLine({ certificateFile, isSelfSigned, endsAt }: Certificate, daysLeft: number) {
  return {
    event: 'certificate.ending',
    certificateFile,
    endsAt: toTimestamp(endsAt),
    daysLeft,
    advice: isSelfSigned
      ? 'restart the service: it creates a new certificate, which clients must trust'
      : 'replace the files; the service picks them up by itself',
  } as const;
}
