/**
 * The certificate while the service runs: files that were replaced are used without a restart, and the operator hears
 * in time that the certificate ends (rules 1.1). What replaces files may write one after the other, or not to the end:
 * whatever cannot be served leaves the certificate as it is.
 */
import { statSync } from 'node:fs';
import { type Clock, DAY_MS, toTimestamp } from '../clock.ts';
import { ConfigError } from '../config.ts';
import { type Certificate, readCertificate, WARNING_MS } from './certificate.ts';

/** Who hears of the certificate. */
export interface CertificateListeners {
  /** Another one is to be served from now on. */
  replaced(certificate: Certificate): void;
  /** The files changed into something that cannot be served; once for each change. */
  refused(errors: readonly string[]): void;
  /** It ends within 30 days or has ended; once a day. `daysLeft` is negative then. */
  ending(certificate: Certificate, daysLeft: number): void;
}

/** Looks after the certificate. */
export interface CertificateWatch {
  /** The one that is served. */
  readonly certificate: Certificate;
  /** Looks at the files and at the date; called at intervals. */
  look(): void;
  /** The same, with the files read again though nothing tells that they changed. */
  reload(): void;
}

/**
 * Begins with a certificate that is served already, of whose end its notices have told where it is near.
 *
 * @param clock the app's
 */
export function watchCertificate(opened: Certificate, clock: Clock, on: CertificateListeners): CertificateWatch {
  let certificate = opened;
  let lastSeen = identityOf(opened);
  let lastWarnedAt = clock();

  function read(identity: string): void {
    // Taken before the files are read: what is written meanwhile is seen the next time.
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

/** What tells that files are no longer the same: another file, another length, another time of change. */
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

/** The line about a certificate that ends, in the words of start.noticed. */
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
