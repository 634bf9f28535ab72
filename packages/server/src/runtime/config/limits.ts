/** Groups of settings: limits on callers, the events that are sent, and e-mails. */

/** Limits that keep one caller from harming the others (docs/operators/security.md). Null: the limit is off. */
export interface Limits {
  /** Calls of one connection that may be in progress at once; at this number the service pauses reading from it. */
  readonly callsPerConnection: number | null;
  /**
   * Calls of one network outside the five client endpoints that may be in progress at once, if they carry neither the
   * admin secret nor the webhook secret.
   */
  readonly callsPerNetwork: number | null;
  /** Open connections altogether; null: as many as open files and memory allow. */
  readonly connections: number | null;
  /** Open connections of one network that is not a proxy's. */
  readonly connectionsPerNetwork: number | null;
  /** Maximum bytes of replies in memory that their readers have not received yet. Never off. */
  readonly unsentBytes: number;
  /**
   * Longest wait in the queue for a call outside the five client endpoints; a call that would have to wait longer is
   * refused at once.
   */
  readonly queueWaitMs: number | null;
  /** Trial codes that one network may redeem in an hour without a credential. */
  readonly trialsPerHour: number | null;
  /** Trials without a key that start within an hour. */
  readonly keylessTrials: {
    readonly ofNetwork: number | null;
    readonly ofProduct: number | null;
  };
  /** Wrong admin secrets, webhook secrets and API keys that one network may send in a minute. */
  readonly wrongSecretsPerMinute: number | null;
}

/** Settings of the events that are sent, and of their sender. */
export interface DeliveryConfig {
  /** True if this node may send events. */
  readonly isOn: boolean;
  /** Total requests per second; null for no limit. */
  readonly perSecond: number | null;
  /** Times before the expiry of a license at which it gets a notice, in whole days; null: no notices (rules 12.8). */
  readonly expiryNoticesMs: readonly number[] | null;
  /** Time without a success after which a destination is disabled. */
  readonly giveUpMs: number;
  /** Private networks that the operator's own destinations may reach, in CIDR notation. */
  readonly networks: readonly string[];
  /** Networks that no destination may reach. */
  readonly deniedNetworks: readonly string[];
  /** Certificates that are trusted besides the usual ones. */
  readonly caFile: string | null;
  /** Name servers in place of those of the machine. */
  readonly nameServers: readonly string[] | null;
}

/** The SMTP server that takes the e-mails of the service. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** True if the connection begins with TLS (`smtps:`); otherwise STARTTLS follows. */
  readonly isSecure: boolean;
  /** Null: the server asks for no login. The password is secret. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** Settings of e-mails. */
export interface MailConfig {
  readonly server: SmtpServer;
  /** The name with which the service greets the server; null for the one of this machine. */
  readonly ownName: string | null;
  /** Whether the server is a named one of a private network, which may have no TLS. */
  readonly isPlain: boolean;
  /** Certificates that are trusted besides the usual ones; null without a file. */
  readonly caFile: string | null;
  /** The sender of every e-mail; a null name shows the address alone. */
  readonly from: { readonly name: string | null; readonly address: string };
  /** E-mails per hour of the whole installation; null for no limit. */
  readonly perHour: number | null;
}
