/** Messages between the processes of the bench. */
import type { Address } from './connection.ts';
import type { PoolFile } from './pool.ts';
import type { WindowFigures, WindowPlan } from './window.ts';

/** To the control. */
export type ControlOrder =
  /** Listen on a free port; with a certificate and its key, both PEM text, on HTTPS. */
  | { readonly kind: 'listen'; readonly tls: { readonly certificate: string; readonly key: string } | null }
  /** Use this JSON text for every response from now on. */
  | { readonly kind: 'answer'; readonly body: string };

/** From the control. */
export type ControlReport = { readonly kind: 'listening'; readonly port: number } | { readonly kind: 'answering' };

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
