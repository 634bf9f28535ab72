/** Messages between the processes of the bench. */
import type { Address } from './connection.ts';
import type { PoolFile } from './pool.ts';
import type { Round } from './tab-round.ts';
import type { WindowFigures, WindowPlan } from './window.ts';

/** To the control. */
export type ControlOrder =
  /** Listen on a free port; with a certificate and its key, both PEM text, on HTTPS. */
  | { readonly kind: 'listen'; readonly tls: { readonly certificate: string; readonly key: string } | null }
  /** Use this JSON text for every response from now on. */
  | { readonly kind: 'answer'; readonly body: string };

/** From the control. */
export type ControlReport = { readonly kind: 'listening'; readonly port: number } | { readonly kind: 'answering' };

/** To a process with a side load, which the first orders prepare. */
export type SideLoadOrder =
  /** To the customers: start the mail server. */
  | { readonly kind: 'listen' }
  /** To the customers: sign this number of them in, at the nodes in turn. Each sign-in takes the next address. */
  | {
      readonly kind: 'signIn';
      readonly customers: number;
      readonly addresses: readonly Address[];
      readonly emails: readonly string[];
    }
  /** To the tabs: send the calls of the round from this number of tabs, to the nodes in turn. */
  | {
      readonly kind: 'openTabs';
      readonly tabs: number;
      readonly addresses: readonly Address[];
      readonly round: Round;
    }
  /** Load the server, until `end`. */
  | { readonly kind: 'begin' }
  /** Stop the load. */
  | { readonly kind: 'end' };

/** From a process with a side load. */
export type SideLoadReport =
  | { readonly kind: 'listening'; readonly mailPort: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'began' }
  /** Nothing is under way. The figures are those since `begin`. */
  | {
      readonly kind: 'ended';
      /** Milliseconds of each thing done, by its kind. */
      readonly timesMs: Readonly<Record<string, readonly number[]>>;
      readonly errors: readonly string[];
    }
  /** The order failed. */
  | { readonly kind: 'failed'; readonly reason: string };

/** To the driver. */
export type DriverOrder =
  /** Read the requests of each server, by its name. Every server then starts at its first request. */
  | { readonly kind: 'load'; readonly pools: Readonly<Record<string, PoolFile>> }
  /** Send one request and report the response. */
  | { readonly kind: 'probe'; readonly server: string; readonly address: Address }
  /** Run a window. */
  | { readonly kind: 'window'; readonly server: string; readonly plan: WindowPlan };

/** From the driver. */
export type DriverReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'probed'; readonly body: string; readonly error: string | null }
  /** The counted time of a window begins or ends now. */
  | { readonly kind: 'edge'; readonly edge: 'begin' | 'end' }
  | { readonly kind: 'window'; readonly figures: WindowFigures }
  /** The order failed. */
  | { readonly kind: 'failed'; readonly reason: string };
