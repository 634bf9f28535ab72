/** Messages between a test and the process of its receiver (receiver-process.ts). */

/** How requests to a path are answered. */
export interface Behaviour {
  /** Ends every connection without an answer. */
  readonly isDown?: boolean;
  readonly status?: number;
  /** Wait before each answer. */
  readonly delayMs?: number;
  /** Keeps answers back until the path gets another behaviour. */
  readonly isHeld?: boolean;
}

/** An event at its first arrival. */
export interface ArrivedEvent {
  readonly id: string;
  readonly type: string;
  /** The license by its `ref`; null for an event of none. */
  readonly license: string | null;
  readonly number: number | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Further arrivals of the same event. */
  readonly repeats: number;
}

/** Arrivals at one path. */
export interface PathReport {
  readonly requests: number;
  readonly connections: number;
  /** Requests with a wrong signature. */
  readonly unverified: number;
  /** Different events. */
  readonly events: number;
  /** Events that arrived after a later one of the same license. */
  readonly disordered: number;
  /** Time from the change to its first arrival, in milliseconds. */
  readonly delayMs: Readonly<Record<'p50' | 'p99' | 'max', number>>;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The state of a receiver at the moment. */
export interface ReceiverCount {
  /** Different events that arrived at the path. */
  readonly events: number;
  /** Answers that are kept back. */
  readonly held: number;
  /** Open connections, of all paths. */
  readonly open: number;
}

export type ToReceiver =
  | { readonly kind: 'start'; readonly addresses: readonly string[]; readonly cert: string; readonly key: string }
  /** The secret of a path, whose signatures are checked from now on. */
  | { readonly kind: 'secret'; readonly path: string; readonly secret: string }
  | { readonly kind: 'behave'; readonly path: string; readonly behaviour: Behaviour }
  | { readonly kind: 'forget'; readonly path: string }
  | { readonly kind: 'report'; readonly path: string }
  | { readonly kind: 'count'; readonly path: string }
  | { readonly kind: 'among'; readonly path: string; readonly ids: readonly string[] }
  | { readonly kind: 'arrived'; readonly path: string };

export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly report: PathReport }
  | { readonly kind: 'count'; readonly count: ReceiverCount }
  | { readonly kind: 'among'; readonly ids: readonly string[] }
  | { readonly kind: 'arrived'; readonly events: readonly ArrivedEvent[] };
