/**
 * What the node that answers knows of itself: its versions, files, certificate. All of it lives on the main thread, where
 * rules do not always run, so a call of an endpoint that asks for it (`tellsOfNode`) brings it along (docs/decisions/0018).
 * It is plain data, because calls cross threads, and nothing of it is secret.
 */
import type { ClockState } from '../believed-time/believed-time.ts';

/** The node at the moment of a call. */
export interface NodeFacts {
  /** The version of the package. */
  readonly version: string;
  /** The version of Node.js that runs it. */
  readonly nodeJsVersion: string;
  /** What the machine calls itself. */
  readonly hostname: string;
  /** What the operator calls this installation; null: nothing. */
  readonly label: string | null;
  readonly logLevel: string;
  /** When the service started, as a timestamp. */
  readonly startedAt: string;
  /** Memory of the whole process, in bytes. */
  readonly memoryBytes: number;
  readonly database: DatabaseFacts;
  /** The number of the newest migration that this version knows. */
  readonly newestMigration: number;
  /** The certificate that is served; null where proxies carry the HTTPS. */
  readonly certificate: CertificateFacts | null;
  readonly countries: CountryFacts;
  /** Whether its clock is believed. */
  readonly clock: ClockState;
}

/** The database as the configuration and the file system tell of it. */
export interface DatabaseFacts {
  readonly engine: 'sqlite' | 'postgres';
  /** The path of the file, or the name of the database and its hosts. Never a user or a password. */
  readonly location: string;
  /** Size of the file of SQLite with its log, in bytes; null: it could not be had, or the database has no file here. */
  readonly fileBytes: number | null;
  /** Bytes that the service may still write to the disk of that file, and that the disk has in all; null as above. */
  readonly diskFreeBytes: number | null;
  readonly diskTotalBytes: number | null;
}

/** A certificate without its key. */
export interface CertificateFacts {
  /** The names and addresses that it is for, {@link MOST_NAMES} at most. */
  readonly names: readonly string[];
  /** From when on it is valid, in milliseconds since 1970. */
  readonly startsAt: number;
  /** When it ends, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Whether the service made it itself. */
  readonly isSelfSigned: boolean;
}

/** So many names of a certificate are told. */
export const MOST_NAMES = 100;

/** Where the countries of calls come from; where nothing is named, they are not known. */
export interface CountryFacts {
  /** The header that is believed, in lower case; null: none. */
  readonly header: string | null;
  /** The file of addresses and countries; null: none. */
  readonly file: string | null;
  /** When that file was built, in milliseconds since 1970; null: there is none, or it does not say. */
  readonly builtAt: number | null;
}
