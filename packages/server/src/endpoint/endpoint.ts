/**
 * The shape of an endpoint: one value per endpoint ties its path, its fields, who may call it, what it does and what it
 * answers. The HTTP layer, the dispatcher and the OpenAPI description all read it; nothing else describes an endpoint.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Refusal, RefusalCode } from '../refusals.ts';
import type { Service } from '../service.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import type { Access, Caller, Scope } from './caller.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** The circumstances of a request that rules may need. */
export interface Circumstances {
  /** When the request is decided, in milliseconds. */
  readonly now: number;
  /** Two-letter country of the peer, where known. */
  readonly country: string | null;
  /** The peer's network address (the client's, behind a trusted proxy). */
  readonly address: string;
}

/** What an action works with. */
export interface Request<Fields> extends Circumstances {
  readonly fields: Fields;
  readonly caller: Caller;
  readonly scope: Scope;
  readonly service: Service;
}

/** The body of a successful answer. */
export type Reply = Readonly<Record<string, unknown>>;

/** A call of an endpoint that is decided together with others (see {@link Lane}). */
export interface LaneCall<Decide = unknown> {
  readonly decide: Decide;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly circumstances: Circumstances;
}

/**
 * A way of working that takes all calls that wait and decides them with a few statements, instead of a transaction
 * each. Client endpoints run in lanes. `decide` is the endpoint's pure rule; the lane loads, lets it decide, and saves.
 */
export interface Lane {
  readonly name: string;
  readonly mode: 'read' | 'write';
  /** Answers as many results as it got calls, in their order. In `write` mode `sql` is a transaction. */
  run(sql: Tx, calls: readonly LaneCall[], service: Service): Promise<(Reply | Refusal)[]>;
  /**
   * Answers a call from memory where that is certain to be the truth; undefined where it is not. Optional, for `read`
   * lanes only.
   */
  recall?(call: LaneCall, service: Service): Reply | Refusal | undefined;
}

/** What an endpoint does. */
export type Work<Fields> =
  | { readonly kind: 'read'; act(sql: Sql, request: Request<Fields>): Promise<Reply | Refusal> }
  | { readonly kind: 'write'; act(tx: Tx, request: Request<Fields>): Promise<Reply | Refusal> }
  | { readonly kind: 'lane'; readonly lane: Lane; readonly decide: unknown };

/** An endpoint as it is written in its file. */
export interface EndpointDefinition<Shape extends TObject> {
  /** `/createLicense`; also the endpoint's name. */
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  readonly access: Access;
  /** One line for the reference. */
  readonly summary: string;
  /** The specification's section it implements, and what a reader should know. */
  readonly description: string;
  /** Field name to schema; a field is required unless it is Type.Optional. */
  readonly fields: Shape;
  /** The error text when a required field is absent, null or empty. */
  readonly missing: string;
  /** The body of a success. */
  readonly reply: TSchema;
  /** The status of a success; 200 unless the specification says otherwise. */
  readonly successStatus?: 200 | 201;
  /** Whether the webhook secret may also come as the body field `webhookSecret`. */
  readonly acceptsBodySecret?: boolean;
  /** Which flag an error body carries: `valid` on /verify and /validate, else `success`. */
  readonly flag?: 'success' | 'valid';
  /** The refusals its action can answer, for the reference; those of transport, credential and fields are implied. */
  readonly refusals: readonly RefusalCode[];
  readonly work: Work<Static<Shape>>;
}

/** An endpoint whose field types have been checked and are no longer told apart. */
export interface Endpoint extends Omit<EndpointDefinition<TObject>, 'work'> {
  readonly successStatus: 200 | 201;
  readonly flag: 'success' | 'valid';
  readonly work: Work<Readonly<Record<string, unknown>>>;
}

/** A part of the contents page: a heading of the specification and the endpoints under it. */
export interface Section {
  readonly title: string;
  readonly endpoints: readonly Endpoint[];
}

/** Declares an endpoint; the action's fields are typed by the schema. */
export function endpoint<Shape extends TObject>(definition: EndpointDefinition<Shape>): Endpoint {
  return {
    successStatus: 200,
    flag: 'success',
    ...definition,
    work: definition.work as unknown as Endpoint['work'],
  };
}
