/**
 * Sites answer the paths that are no endpoint: the console, documents, pages, reports of others in their own form. A
 * slice lists its own (`Slice.sites`).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../ground/base/clock.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import type { CallEndpoint } from '../endpoint/inner.ts';
import type { Outcome } from '../endpoint/outcome.ts';
import type { Refusal } from '../endpoint/refusals.ts';
import type { RuleContext } from '../endpoint/rule-context.ts';
import type { DocumentText, SiteAnswer } from './answer.ts';

/** The parts from which a slice makes its sites; they live in the main thread. */
export interface SiteParts {
  readonly clock: Clock;
  readonly ruleContext: RuleContext;
  /** Reads data that many visitors share, without a queue. {@link Visit.read} reads for one visitor. */
  readonly read: Storage['read'];
}

/**
 * One entry of the list of sites. The first site that has a path answers it. No site is asked for the path of an
 * endpoint.
 */
export interface Site {
  /**
   * The paths that metrics count under their own names, also patterns (path-pattern.ts). All other paths share one
   * name.
   */
  readonly countedPaths: readonly string[];
  /** True if the site answers a path, with any method. The path has no query. */
  has(path: string): boolean;
  /**
   * Answers a request exactly once, now or later. An exception or a rejection is answered 500 and logged, and the
   * service goes on.
   */
  answer(visit: Visit): void | Promise<void>;
}

/**
 * A request to a site, which answers it by one of {@link send}, {@link sendDocument}, {@link sendOutcome} and {@link
 * refuse}.
 */
export interface Visit {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Every value of each header, for a header that must not come twice. */
  readonly headersDistinct: NodeJS.Dict<string[]>;
  /** The client's network address in canonical form; null if no trustworthy source states it. */
  readonly address: string | null;
  /** The parameters after the question mark, or the refusal if there are too many. */
  readQuery(): { readonly query: Query } | Refusal;
  /**
   * Reads the body once, as the bytes that arrived.
   *
   * @returns the bytes; `otherType` if Content-Type names another type, `tooLarge` beyond the bound
   * @throws VisitorLeft if the connection breaks; the site lets it pass, because nobody waits for an answer
   */
  readBody(expected: ExpectedBody): Promise<Buffer | 'otherType' | 'tooLarge'>;
  /**
   * Counts the request among the calls of its network until the site has done its work and the answer is sent. A site
   * calls it before work that a stranger can cause, and after it has read the body: slow senders would use up the
   * calls.
   *
   * @returns null, or the refusal (503) if the network has too many calls in progress
   */
  countAsCall(): Refusal | null;
  /**
   * Finds rows by their keys, before the site calls an endpoint that writes: with the secret of the sender a site
   * checks a signature, and forged reports never wait for the writer.
   *
   * @param look must be short, because on SQLite it runs in the main thread
   * @returns the rows, or the refusal (503) if too many reads wait
   * @throws if the database cannot be read; the site lets it pass, and the answer says so
   */
  read<Found>(look: (sql: Sql) => Promise<Found>): Promise<{ readonly found: Found } | Refusal>;
  /**
   * Calls an endpoint of any slice for the visitor, without a credential and without the limits of endpoints. Its
   * failures and the licenses that it changes stand in the log line of the request.
   */
  readonly call: CallEndpoint;
  /** Sends an answer in the site's own form. */
  send(answer: SiteAnswer): void;
  /** Sends a document with the headers that all documents share. */
  sendDocument(document: DocumentText): void | Promise<void>;
  /** Sends JSON with the headers of an endpoint's answer, and additional ones: alternating names and values. */
  sendOutcome(outcome: Outcome, headers?: readonly string[]): void;
  /** Sends a refusal as JSON, with additional headers. */
  refuse(refusal: Refusal, headers?: readonly string[]): void;
  /**
   * Answers a browser that asks whether a page of another origin may read this path.
   *
   * @returns false if the request does not ask this, or no such page may
   */
  answerPreflight(): boolean;
}

/** The connection broke before the whole body had arrived. */
export class VisitorLeft extends Error {}

/** Query parameters by name. A repeated parameter is a list, which no field and no credential accepts as text. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** The body that a site accepts. */
export interface ExpectedBody {
  /** The media type in lower case without parameters; null accepts any. */
  readonly contentType: string | null;
  readonly maxBytes: number;
}
