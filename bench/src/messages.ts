/** What the processes of the bench say to each other. */
import type { Address } from './connection.ts';
import type { PoolFile } from './pool.ts';
import type { WindowFigures, WindowPlan } from './window.ts';

/** To the control. */
export type ControlOrder =
  /** Listen on a free port; with a certificate and its key, both PEM text, on HTTPS. */
  | { readonly kind: 'listen'; readonly tls: { readonly certificate: string; readonly key: string } | null }
  /** Answer every request with this JSON text from now on. */
  | { readonly kind: 'answer'; readonly body: string };

/** From the control. */
export type ControlReport = { readonly kind: 'listening'; readonly port: number } | { readonly kind: 'answering' };

/** To the driver. */
export type DriverOrder =
  /** Read the requests of each server, by its name; every server then begins at the first of its own. */
  | { readonly kind: 'load'; readonly pools: Readonly<Record<string, PoolFile>> }
  /** Send one request and tell its answer. */
  | { readonly kind: 'probe'; readonly server: string; readonly address: Address }
  /** Run a window. */
  | { readonly kind: 'window'; readonly server: string; readonly plan: WindowPlan };

/** From the driver. */
export type DriverReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'probed'; readonly body: string; readonly error: string | null }
  /** The counting of a window begins or ends right now. */
  | { readonly kind: 'edge'; readonly edge: 'begin' | 'end' }
  | { readonly kind: 'window'; readonly figures: WindowFigures }
  /** The order could not be carried out. */
  | { readonly kind: 'failed'; readonly reason: string };
