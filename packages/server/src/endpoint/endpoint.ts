/**
 * The shape of an endpoint: one value per endpoint ties its path, its fields, who may call it, what it does and what it
 * answers. The HTTP layer, the dispatcher and the OpenAPI description all read it; nothing else describes an endpoint.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Origin } from '../events/event.ts';
import type { PublishedCode, Refusal, RefusalCode } from '../refusals.ts';
import type { RuleContext } from '../rule-context.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import type { Access, Caller, Scope } from './caller.ts';
import type { NodeFacts } from './node-facts.ts';
import type { Role } from './roles.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** What rules may need to know of a request beside its fields. */
export interface RequestContext {
  /** Names the request in answers, logs and events. */
  readonly requestId: string;
  /** When the request is decided, in milliseconds. */
  readonly now: number;
  /** Two-letter country of the peer, where known. */
  readonly country: string | null;
  /** The peer's network address (the client's, behind a trusted proxy), in its one spelling; null where it is unknown. */
  readonly address: string | null;
  /** What the node knows of itself; given to endpoints that tell of it. */
  readonly node?: NodeFacts;
}

/** What an action works with. */
export interface Request<Fields> extends RequestContext {
  readonly fields: Fields;
  readonly caller: Caller;
  readonly scope: Scope;
  /** Who asks, by which request, and when: what every change is recorded with. */
  readonly origin: Origin;
  readonly ruleContext: RuleContext;
}

/** The body of a successful answer, whatever the endpoint. */
export type Reply = Readonly<Record<string, unknown>>;

/** A value with all that is in it, as it is answered and no more changed. */
type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

/** What a reply schema describes: what an action or a view must return. */
export type ReplyOf<Schema extends TSchema> = Immutable<Static<Schema>>;

/** Refusals that every action may return without declaring them: of fields that only it can judge. */
export type FieldRefusalCode = 'missing_fields' | 'invalid_field';

/** A call that is decided together with others: its endpoint's rule, tied to what was asked. */
export interface BatchCall<Result = Reply, Code extends RefusalCode = RefusalCode> {
  readonly requestContext: RequestContext;
  readonly decide: (...loaded: never[]) => Answer<Result, Code>;
}

/**
 * A way of working that takes all calls that wait and decides them with a few statements, instead of a transaction
 * each: it loads, lets each call's rule decide in the order the calls came, and saves. `run` answers as many results as
 * it got calls, in their order.
 */
export type Batch<Call = unknown> = ReadBatch<Call> | WriteBatch<Call>;

/** Stands for a call that failed by itself; the others of its batch did not. */
export class CallFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** What a call of a batch comes to. */
export type BatchResult = Reply | Refusal | CallFailure;

/** A batch that only reads. */
export interface ReadBatch<Call = unknown> {
  readonly name: string;
  readonly mode: 'read';
  run(sql: Sql, calls: readonly Call[], ruleContext: RuleContext): Promise<readonly BatchResult[]>;
  /** Answers a call from memory where that is certain to be the truth; undefined where it is not. */
  recall(call: Call, ruleContext: RuleContext): Reply | Refusal | undefined;
}

/** A batch that runs in a transaction. */
export interface WriteBatch<Call = unknown> {
  readonly name: string;
  readonly mode: 'write';
  run(tx: Tx, calls: readonly Call[], ruleContext: RuleContext): Promise<readonly BatchResult[]>;
}

/** What an action answers: `Result`, or one of the refusals that its endpoint lists. */
export type Answer<Result, Code extends RefusalCode> = Result | Refusal<Code | FieldRefusalCode>;

/** Reads and answers. */
export type ReadAction<Fields, Result, Code extends RefusalCode> = (
  sql: Sql,
  request: Request<Fields>,
) => Promise<Answer<Result, Code>>;

/** Writes in a transaction and answers. */
export type WriteAction<Fields, Result, Code extends RefusalCode> = (
  tx: Tx,
  request: Request<Fields>,
) => Promise<Answer<Result, Code>>;

/** An endpoint whose calls are decided together with others of the same batch. */
export interface BatchedWork<Fields, Result, Code extends RefusalCode> {
  readonly kind: 'batch';
  readonly batch: Batch;
  /** Ties the endpoint's rule to one call. */
  bind(fields: Fields, requestContext: RequestContext): BatchCall<Result, Code>;
}

/** What an endpoint does. */
export type Work =
  | { readonly kind: 'read'; readonly act: ReadAction<UncheckedFields, Reply, RefusalCode> }
  | { readonly kind: 'write'; readonly act: WriteAction<UncheckedFields, Reply, RefusalCode> }
  | BatchedWork<UncheckedFields, Reply, RefusalCode>;

/** Fields as they come out of the reader: checked against the endpoint's schema, which the type no longer tells. */
export type UncheckedFields = Readonly<Record<string, unknown>>;

/**
 * One request to an endpoint and its answer, as the reference shows them. A test sends the request to the real service
 * and compares the answer with this one, so every value must be true; see example-values.ts for those that the service
 * makes up, and for the moment at which examples are sent.
 */
export interface Example<Fields, ReplyBody> {
  /** Endpoints whose examples are sent before this one, so that what this one names is there. */
  readonly after?: readonly `/${string}`[];
  /**
   * Requests to other endpoints that are sent then, before this one; their answers are not shown. They succeed, but for
   * calls of apps that are `refused` with a code.
   */
  readonly beforehand?: readonly {
    readonly to: `/${string}`;
    readonly request: UncheckedFields;
    readonly refused?: PublishedCode;
  }[];
  readonly request: Fields;
  readonly reply: ReplyBody;
  /**
   * Places in the reply whose values differ from machine to machine and are named nowhere else, such as `database.bytes`:
   * numbers, times and texts, and null where the schema allows it. What is answered there need only fit the schema.
   */
  readonly differing?: readonly string[];
}

/** An endpoint as it is written in its file. */
export interface EndpointDefinition<Shape extends TObject, Body extends TSchema, Code extends RefusalCode> {
  /** `/createLicense`; also the endpoint's name. */
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  readonly access: Access;
  /**
   * The least role that people of the operator's need to call it in the console; `owner` unless it says otherwise. Where
   * `access` takes no console sessions by itself, naming a role lets it take them.
   */
  readonly needs?: Role;
  /** Whether a success ends the console session of the caller, unless the field `sessionId` names another one. */
  readonly endsSession?: true;
  /** Whether its calls bring along what the node knows of itself. Not for endpoints that are decided in batches. */
  readonly tellsOfNode?: true;
  /** One line for the reference. */
  readonly summary: string;
  /** What the endpoint does, and what a caller should know about it. */
  readonly description: string;
  /** A request and its answer, typed by `fields` and `reply`. */
  readonly example: Example<NoInfer<Static<Shape>>, NoInfer<Static<Body>>>;
  /** Field name to schema; a field is required unless it is Type.Optional. */
  readonly fields: Shape;
  /** The error text when a required field is absent, null or empty. */
  readonly missing: string;
  /** The body of a success. */
  readonly reply: Body;
  /** The status of a success; 200 unless the rules say otherwise. */
  readonly successStatus?: 200 | 201;
  /** Whether the webhook secret may also come as the body field `webhookSecret`. */
  readonly acceptsBodySecret?: boolean;
  /**
   * A refusal that tells an API key something of what belongs to others. Each counts as a wrong credential, so that nobody
   * can try names at will.
   */
  readonly countedRefusal?: RefusalCode;
  /** Which flag an error body carries: `valid` on /verify and /validate, else `success`. */
  readonly flag?: 'success' | 'valid';
  /** The refusals its action can answer, for the reference; those of transport, credential and fields are implied. */
  readonly refusals: readonly Code[];
  /** Further fields of the error body, by the refusal that has them. */
  readonly refusalFields?: Readonly<Partial<Record<Code, TObject>>>;
}

/** An endpoint whose types have been checked and are no longer told apart. */
export interface Endpoint extends Omit<EndpointDefinition<TObject, TSchema, RefusalCode>, 'example'> {
  readonly example: Example<UncheckedFields, Reply>;
  readonly successStatus: 200 | 201;
  readonly flag: 'success' | 'valid';
  readonly work: Work;
}

/**
 * Whether calls take turns with other work, and count for the limits of their network: all but those of the five client
 * endpoints, which are decided in batches.
 */
export function isOtherWork({ work }: Pick<Endpoint, 'work'>): boolean {
  return work.kind !== 'batch';
}

/**
 * Whether a POST may carry an Idempotency-Key that has an effect (rules 9): where the endpoint writes. The client endpoints
 * are safe to repeat as they are, and so is signing in: its cookie is not kept and cannot be sent again.
 */
export function hasSafeRetries({ access, work }: Pick<Endpoint, 'access'> & Partial<Pick<Endpoint, 'work'>>): boolean {
  return work?.kind === 'write' && access !== 'client' && access !== 'signIn';
}

/** A section of the reference: a heading and the endpoints under it. */
export interface Section {
  readonly title: string;
  /** What the endpoints of the section are for, in a sentence or two. */
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

/** The names of the fields of each of several types. */
type NamesIn<Value> = Value extends unknown ? keyof Value : never;

/** The fields of an answer that the reply does not have. */
type Superfluous<Answered, Result> = Answered extends Refusal ? never : Exclude<keyof Answered, NamesIn<Result>>;

/** What no function is where an answer has a field that the reply does not have; names the field in the error. */
type Exactly<Answered, Result> = [Superfluous<Answered, Result>] extends [never]
  ? unknown
  : { readonly superfluousInReply: Superfluous<Answered, Result> };

/** A declared endpoint that still wants its work: answers are the reply, field for field, or a refusal that is listed. */
export interface Declared<Fields, Result, Code extends RefusalCode> {
  /** Each call runs by itself and reads. */
  read<Answered extends Answer<Result, Code>>(
    act: ((sql: Sql, request: Request<Fields>) => Promise<Answered>) & Exactly<NoInfer<Answered>, Result>,
  ): Endpoint;
  /** Each call runs in a transaction of its own. */
  write<Answered extends Answer<Result, Code>>(
    act: ((tx: Tx, request: Request<Fields>) => Promise<Answered>) & Exactly<NoInfer<Answered>, Result>,
  ): Endpoint;
  /** Calls are decided in batches. */
  batched<Answered extends Result>(
    work: BatchedWork<Fields, Answered, Code> & Exactly<NoInfer<Answered>, Result>,
  ): Endpoint;
}

/**
 * Declares an endpoint; what it does follows in a second call, because only then the compiler can hold it to the
 * declaration: fields come as the schema says, and what is returned is the reply that is described or one of the
 * refusals that are listed.
 */
export function endpoint<Shape extends TObject, Body extends TSchema, const Code extends RefusalCode>(
  definition: EndpointDefinition<Shape, Body, Code>,
): Declared<Static<Shape>, ReplyOf<Body>, Code> {
  // The field reader lets nothing through to an action but what its schema describes: here the types meet again.
  const finish = (work: object) =>
    ({ successStatus: 200, flag: 'success', ...definition, work }) as unknown as Endpoint;
  return {
    read: (act) => finish({ kind: 'read', act }),
    write: (act) => finish({ kind: 'write', act }),
    batched: (work) => finish(work),
  };
}
