import type { BlockList } from 'node:net';
import type { LicenseFileTerms } from '../../licensing/license-files/license-file.ts';
import type { CreatorQuotas } from '../../platform/endpoint/quotas.ts';
import type { LogLevel } from './forms.ts';
import type { DeliveryConfig, Limits, MailConfig } from './limits.ts';
import type { OidcConfig } from './oidc.ts';
import type { OperatorNoticeConfig } from './operator-notices.ts';
import type { SelfServiceConfig } from './self-service.ts';

/** The operator's settings. Paths are absolute. */
export interface Config {
  /** The address or name to listen on. `localhost` means both loopback addresses, 127.0.0.1 and ::1. */
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** Directory of the SQLite database, and of the secrets and the certificate that the service makes for itself. */
  readonly dataDirectory: string;
  /** File that each backup touches: its age is the age of the newest backup. */
  readonly backupMark: string;
  readonly database:
    | { readonly engine: 'sqlite'; readonly file: string }
    | {
        readonly engine: 'postgres';
        readonly url: string;
        readonly poolSize: number;
        /** Connections of the pool that are reserved for the five client endpoints; always less than `poolSize`. */
        readonly reservedConnections: number;
        /** Longest time that a start waits for a database server that is not reachable yet. */
        readonly waitMs: number;
      };
  /** Null: the one kept in the data directory is used (secrets.ts). */
  readonly adminSecret: string | null;
  /** Null: the one kept in the data directory is used (secrets.ts). */
  readonly webhookSecret: string | null;
  /** Also accepted as the admin secret while callers change over; null: none. */
  readonly previousAdminSecret: string | null;
  /** Also accepted as the webhook secret while callers change over; null: none. */
  readonly previousWebhookSecret: string | null;
  /** The operator's own certificate; null: a self-signed one is used (runtime/http/certificate.ts). */
  readonly tlsFiles: { readonly certificateFile: string; readonly keyFile: string } | null;
  /**
   * The proxies in front of the service. When not null, the proxies carry the HTTPS: the service itself speaks plain
   * HTTP, to these addresses only (rules 1.1), and trusts their forwarding headers.
   */
  readonly trustedProxies: BlockList | null;
  /** Lower-case name of the header in which the proxies state the client's address; null: X-Forwarded-For. */
  readonly addressHeader: string | null;
  /** Lifetime of a session token. */
  readonly tokenLifetimeMs: number;
  /** Time after which a floating session without a sign of life ends (rules 8.1). */
  readonly floatingTimeoutMs: number;
  /** Lifetimes of license files. */
  readonly licenseFiles: LicenseFileTerms;
  /** File with the keys that sign license files; null: the keys in the database sign. */
  readonly signingKeyFile: string | null;
  /** Origins of web pages from which browsers may call the client endpoints; `*` allows all, null allows none. */
  readonly corsOrigins: ReadonlySet<string> | '*' | null;
  /** Retention of events; notes are kept for ever (rules 10.5). */
  readonly eventRetentionMs: number;
  /** Longest time for a request to arrive, its body included. */
  readonly requestTimeoutMs: number;
  /** Time for which the service still answers but reports that it is not ready, before it stops. */
  readonly drainTimeMs: number;
  /** Limits on strangers and single callers: calls at once and calls over time. */
  readonly limits: Limits;
  /** Number of uses of each quota of a creator within 24 hours; null for no limit. */
  readonly creatorQuotas: CreatorQuotas;
  /** True if an API key may call /createProduct. */
  readonly creatorsMayCreateProducts: boolean;
  /** True if an API key may call /createDestination. */
  readonly creatorsMayCreateDestinations: boolean;
  /** The text that seals secrets of destinations; null: with SQLite the one kept in the data directory (secrets.ts). */
  readonly secretsKey: string | null;
  /** Settings of the events that are sent. */
  readonly deliveries: DeliveryConfig;
  /** Settings of e-mails; null: the service sends no e-mail. */
  readonly mail: MailConfig | null;
  /** Whether buyers get e-mails about events of the storefront that do not say so themselves. */
  readonly mailsStorefront: boolean;
  /** Null: the operator gets no e-mails. */
  readonly operatorNotices: OperatorNoticeConfig | null;
  /** The address of the service for browsers, such as `https://licenses.example.com`; null: not set. */
  readonly publicUrl: string | null;
  /** Null: there are no pages for customers. */
  readonly selfService: SelfServiceConfig | null;
  /** Null: the service serves neither the console nor its sessions. The console shows the label; null: none. */
  readonly console: { readonly label: string | null; readonly takesAdminSecret: boolean } | null;
  /** Null: nobody signs in to the console with an account of an identity provider. */
  readonly oidc: OidcConfig | null;
  /** Lower-case name of the request header that carries the caller's country. */
  readonly countryHeader: string | null;
  readonly geoipFile: string | null;
  readonly logLevel: LogLevel;
  /**
   * The address of the metrics port, and its accepted host names besides those known to the service; null: no metrics
   * port, and no measurements. Port 0 lets the system choose.
   */
  readonly metrics: { readonly host: string; readonly port: number; readonly names: readonly string[] } | null;
}

/** The configuration cannot be used. The message has one line per error and never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}
