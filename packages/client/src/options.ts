/** The options of a client. */
import type { PublicKey } from './license-file.ts';
import type { StateStorage } from './storage.ts';
import type { Transport } from './transport.ts';
import type { Clock } from './trusted-clock.ts';

/** Options that are the same on every platform. */
export interface CommonOptions {
  /** `https` address of the service, or several, tried in this order. */
  readonly server: string | readonly string[];
  /** The product, as licenses name it. */
  readonly productId: string;
  /**
   * The public keys of your service, compiled into the app. With them, only a signed file lets the app go on without
   * the server. Without them, the time of the last good answer does, which a user can extend by editing the stored
   * state.
   */
  readonly publicKeys?: readonly PublicKey[];
  /**
   * Ids of stolen signing keys. They are ignored in the service's published key lists, although a newer key vouches for
   * them there.
   */
  readonly stolenKeys?: readonly string[];
  /** `urn:latchkey:...` of the service; required with `publicKeys`. */
  readonly issuer?: string;
  /**
   * ISO 8601 date of this build, compiled into the app; a license with a time of updates covers builds up to its end.
   */
  readonly buildDate?: string;
  /** Version of this build, such as 2.3.1; a license may cover versions up to a bound. */
  readonly version?: string;
  /**
   * The person who uses the app, such as the address of the signed-in account, or a function that returns it; undefined
   * while nobody is signed in. A license for named users needs it to activate.
   */
  readonly user?: string | (() => string | undefined);
  /** Maximum milliseconds between heartbeats of floating licenses; five minutes by default. */
  readonly heartbeatMs?: number;
  /** Milliseconds for each request; ten seconds by default. */
  readonly requestTimeoutMs?: number;
  /**
   * Whether `close()` gives a floating seat back. The next start then activates again, and a license has 15 activations
   * an hour for all its machines. `small-pools`, the default: licenses of up to ten seats give it back; seats of larger
   * licenses become free after the service's timeout (15 minutes).
   */
  readonly release?: 'small-pools' | 'always' | 'never';
  /**
   * The reaction if the server no longer knows this machine: `auto`, the default, takes a free slot again, because a
   * server restored from a backup forgets machines; `ask` leaves that to the user.
   */
  readonly reactivate?: 'auto' | 'ask';
  /** The time to go on after the last good answer, without `publicKeys`. */
  readonly grace?: {
    /** Days for per-machine and site licenses; 30 by default. */
    readonly days?: number;
    /** Hours for floating licenses; 24 by default. */
    readonly floatingHours?: number;
  };
  /**
   * The most uses of meters that wait in the stored state while the service does not answer, up to 500; 0 by default. A
   * user who deletes the stored state deletes them.
   */
  readonly offlineUses?: number;
  /** The clocks of the machine; for tests. */
  readonly clock?: Clock;
  /** From 0 up to 1, as `Math.random`; for tests. */
  readonly random?: () => number;
}

/** License files are verified by both of these or not at all, so one of them alone does not compile. */
export type LicenseFileTrust =
  | { readonly publicKeys: readonly PublicKey[]; readonly issuer: string }
  | { readonly publicKeys?: never; readonly issuer?: string };

/** Options of `@latchkey/client`. */
export type Options = PlatformOptions & LicenseFileTrust;

/** Options on a platform whose storage and fingerprint the app provides. */
export interface PlatformOptions extends CommonOptions {
  readonly storage: StateStorage;
  /** Identifies this machine and never changes; up to 512 characters. */
  readonly fingerprint: string | (() => string | Promise<string>);
  /** The user's name for the machine. */
  readonly hostname: string;
  readonly transport?: Transport;
}

/** Several clients of an app on one machine share its seat. This lets them know about each other. */
export interface Processes {
  /** Records that this client is alive. */
  beat(): Promise<void>;
  /** Removes this client. Returns whether it was the last one. */
  leave(): Promise<boolean>;
}
