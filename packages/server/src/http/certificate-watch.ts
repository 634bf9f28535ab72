/**
 * Watches the certificate while the service runs: replaced files take effect without a restart, and the operator is
 * warned before the certificate expires (rules 1.1). A tool may replace the files one after the other, or only partly,
 * so files that cannot be served leave the current certificate in place.
 */
import { statSync } from 'node:fs';
import { type Clock, DAY_MS, toTimestamp } from '../clock.ts';
import { ConfigError } from '../config.ts';
import { type Certificate, readCertificate, WARNING_MS } from './certificate.ts';

export interface CertificateListeners {
  /** A new certificate is to be served from now on. */
  replaced(certificate: Certificate): void;
  /** The files changed but cannot be served; called once per change. */
  refused(errors: readonly string[]): void;
  /** The certificate expires within 30 days or has expired; called once a day. `daysLeft` is negative after expiry. */
  ending(certificate: Certificate, daysLeft: number): void;
}

export interface CertificateWatch {
  /** The certificate being served. */
  readonly certificate: Certificate;
  /** Checks the files and the date; called at intervals. */
  look(): void;
  /** Like `look`, but rereads the files even if they appear unchanged. */
  reload(): void;
}

/** Starts with a certificate that is already served, and whose notices have already warned of a near expiry. */
export function watchCertificate(opened: Certificate, clock: Clock, on: CertificateListeners): CertificateWatch {
  let certificate = opened;
  let lastSeen = identityOf(opened);
  let lastWarnedAt = clock();

  function read(identity: string): void {
    // Recorded before the files are read, so that a concurrent change is seen next time.
    lastSeen = identity;
    let found: Certificate;
    try {
      found = readCertificate(certificate, clock());
    } catch (error) {
      on.refused(error instanceof ConfigError ? error.errors : [String(error)]);
      return;
    }
    if (found.certificate === certificate.certificate && found.key === certificate.key) return;
    certificate = found;
    lastWarnedAt = Number.NEGATIVE_INFINITY;
    on.replaced(found);
  }

  function warn(): void {
    const now = clock();
    const { endsAt } = certificate;
    if (endsAt > now + WARNING_MS || Math.abs(now - lastWarnedAt) < DAY_MS) return;
    lastWarnedAt = now;
    on.ending(certificate, Math.floor((endsAt - now) / DAY_MS));
  }

  return {
    get certificate() {
      return certificate;
    },
    look() {
      const identity = identityOf(certificate);
      if (identity !== lastSeen) read(identity);
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
  return [certificateFile, keyFile]
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats === undefined
        ? 'absent'
        : [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
    })
    .join(' ');
}

/** The log line about an expiring certificate, in the words of start.noticed. */
export function endingLine({ certificateFile, isSelfSigned, endsAt }: Certificate, daysLeft: number) {
  return {
    event: 'certificate.ending',
    certificateFile,
    endsAt: toTimestamp(endsAt),
    daysLeft,
    advice: isSelfSigned
      ? 'restart the service: it makes the certificate anew, and clients must trust the new one'
      : 'replace the files; the service picks them up by itself',
  } as const;
}
