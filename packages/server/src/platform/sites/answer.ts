/** The answers that a site gives in its own form. */
import type { SharedText } from '../../ground/base/shared-text.ts';
import type { RefusalCode } from '../endpoint/refusals.ts';

/** A document that does not come from an endpoint. */
export interface DocumentText {
  readonly contentType: string;
  readonly text: SharedText;
  readonly contentSecurityPolicy: string;
  /** The Cache-Control header; without it, clients revalidate on each use. */
  readonly cacheControl?: string;
  /**
   * True if apps fetch it automatically. The limit of calls per network does not apply then, just as for their other
   * calls.
   */
  readonly isForApps?: boolean;
}

/** An answer in a site's own form. */
export interface SiteAnswer {
  readonly status: number;
  /**
   * Alternating names and values, with Content-Type. Content-Length, X-Request-Id and Strict-Transport-Security are
   * added.
   */
  readonly headers: readonly string[];
  /** A text for this visitor alone, or bytes that several answers share. HEAD and 304 get none. */
  readonly body: string | Buffer;
  /** The reason of a refusal, for the log and the metrics. */
  readonly refused?: RefusalCode;
  /** The cause of a refusal that the operator must know, for the log alone; never a secret. */
  readonly failure?: string;
}
