/** What an app says when it makes its client. */
import type { PublicKey } from './license-file.ts';
import type { StateStorage } from './storage.ts';
import type { Transport } from './transport.ts';
import type { Clock } from './trusted-clock.ts';

/** Options that are the same everywhere. */
export interface CommonOptions {
  /** `https` address of the service, or several, which are tried in this order. */
  readonly server: string | readonly string[];
  /** The product, as licenses name it. */
  readonly productId: string;
  /**
   * The keys that your service signs license files with, compiled into the app. With them the app goes on without the server
   * by a signed file only; without, by the time of the last good answer, which whoever edits the stored state can stretch.
   */
  readonly publicKeys?: readonly PublicKey[];
  /**
   * Ids of signing keys that were stolen: they are not taken from the lists of keys that the service publishes, although a
   * newer key vouches for them there.
   */
  readonly stolenKeys?: readonly string[];
  /** `urn:latchkey:...` of the service; needed with `publicKeys`. */
  readonly issuer?: string;
  /** Between heartbeats of floating licenses at most, in milliseconds; five minutes unless given. */
  readonly heartbeatMs?: number;
  /** For each request, in milliseconds; ten seconds unless given. */
  readonly requestTimeoutMs?: number;
  /**
   * Whether `stop()` gives a floating seat back. The next start then activates again, and a license has 15 activations an hour
   * for all its machines. `small-pools`, the default: licenses of up to ten seats give it back, seats of larger ones are free
   * again when the service's timeout (15 minutes) is over.
   */
  readonly release?: 'small-pools' | 'always' | 'never';
  /**
   * What to do when the server no longer knows this machine: `auto`, the default, takes a slot again if one is free, because
   * a server that was restored from a backup forgets machines; `ask` leaves that to the user.
   */
  readonly reactivate?: 'auto' | 'ask';
  /** How long to go on after the last good answer where there are no `publicKeys`. */
  readonly grace?: {
    /** Days for per-machine and site licenses; 30 unless given. */
    readonly days?: number;
    /** Hours for floating licenses; 24 unless given. */
    readonly floatingHours?: number;
  };
  /** The clocks of the machine; for tests. */
  readonly clock?: Clock;
  /** From 0 up to 1, as `Math.random`; for tests. */
  readonly random?: () => number;
}

/** Options of `@latchkey/client`. */
export interface Options extends CommonOptions {
  readonly storage: StateStorage;
  /** What tells this machine from others and stays the same on it; up to 512 characters. */
  readonly fingerprint: string | (() => string | Promise<string>);
  /** What the user calls the machine. */
  readonly hostname: string;
  readonly transport?: Transport;
}

/** Several processes of an app on one machine share its seat; these know of each other. */
export interface Processes {
  /** This process is there. */
  beat(): Promise<void>;
  /** This process ends. Answers whether it was the last one. */
  leave(): Promise<boolean>;
}
