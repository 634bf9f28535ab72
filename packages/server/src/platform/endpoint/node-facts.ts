/**
 * Facts about the node that handles a call: versions, files, certificate. They live on the main thread, where rules do
 * not always run, so a call of an endpoint that reports them (`tellsOfNode`) carries them along
 * (docs/contributors/decisions/0018). They are plain data, because calls cross threads, and contain no secret.
 */
import type { ClockState } from '../believed-time/believed-time.ts';

/** The node at the time of a call. */
export interface NodeFacts {
  /** The version of the package. */
  readonly version: string;
  /** The version of Node.js. */
  readonly nodeJsVersion: string;
  /** The machine's own name. */
  readonly hostname: string;
  /** The operator's name for this installation; null if unset. */
  readonly label: string | null;
  readonly logLevel: string;
  /** Start time of the service, as a timestamp. */
  readonly startedAt: string;
  /** Memory of the whole process, in bytes. */
  readonly memoryBytes: number;
  readonly database: DatabaseFacts;
  /** The number of the newest migration that this version knows. */
  readonly newestMigration: number;
  /** The certificate in use; null if proxies handle HTTPS. */
  readonly certificate: CertificateFacts | null;
  readonly countries: CountryFacts;
  /** The last backup by its mark, in milliseconds since 1970; null if there is no mark, or none that can be read. */
  readonly lastBackupAt: number | null;
  /** The state of its clock, which decides if the clock is believed. */
  readonly clock: ClockState;
}

/** Facts about the database from the configuration and the file system. */
export interface DatabaseFacts {
  readonly engine: 'sqlite' | 'postgres';
  /** The path of the file, or the name of the database and its hosts. Never includes a user or password. */
  readonly location: string;
  /** Size in bytes of the SQLite file and its log; null if unavailable, or for PostgreSQL. */
  readonly fileBytes: number | null;
  /** Bytes that the service may still write to the disk of that file, and the disk's total; null as above. */
  readonly diskFreeBytes: number | null;
  readonly diskTotalBytes: number | null;
}

/** A certificate without its key. */
export interface CertificateFacts {
  /** The names and addresses of the certificate, at most {@link MAX_NAMES}. */
  readonly names: readonly string[];
  /** Start of validity in milliseconds since 1970. */
  readonly startsAt: number;
  /** Expiry in milliseconds since 1970. */
  readonly endsAt: number;
  /** True if the service created it. */
  readonly isSelfSigned: boolean;
  /** Its file and its text in PEM, by which clients trust it; null if others issued it. */
  readonly trust: { readonly file: string; readonly pem: string } | null;
}

/** Maximum number of names reported per certificate. */
export const MAX_NAMES = 100;

/** The sources of the countries of calls; if both are null, countries are unknown. */
export interface CountryFacts {
  /** The trusted header, in lower case; null if unset. */
  readonly header: string | null;
  /** The file of addresses and countries; null if unset. */
  readonly file: string | null;
  /** Build time of that file in milliseconds since 1970; null without a file, or if it does not say. */
  readonly builtAt: number | null;
}
