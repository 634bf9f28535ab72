/**
 * The shape of an endpoint: one value per endpoint combines its path, fields, access, work and reply. The HTTP layer,
 * the dispatcher and the OpenAPI description all read it; nothing else describes an endpoint.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { Actor, Origin } from '../events/event.ts';
import type { Access, Caller, Scope } from './caller.ts';
import type { NodeFacts } from './node-facts.ts';
import type { Quota } from './quotas.ts';
import type { PublishedCode, Refusal, RefusalCode } from './refusals.ts';
import type { Role, RoleLimit } from './role.ts';
import type { RuleContext } from './rule-context.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** Facts about a request besides its fields that rules may need. */
export interface RequestContext {
  /** Identifies the request in replies, logs and events. */
  readonly requestId: string;
  /** Time of the decision, in milliseconds since 1970. */
  readonly now: number;
  /** Two-letter country of the peer, if known. */
  readonly country: string | null;
  /** The peer's network address (behind a trusted proxy, the client's) in canonical form; null if unknown. */
  readonly address: string | null;
  /** Facts about the node; present for endpoints that report them. */
  readonly node?: NodeFacts;
}

/** Thrown by an action that shows the effect of a change: everything is rolled back, and the reply is sent. */
export class NothingKept extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('the change is only shown');
    this.reply = reply;
  }
}

/** The input of an action. */
export interface Request<Fields> extends RequestContext {
  readonly fields: Fields;
  readonly caller: Caller;
  readonly scope: Scope;
  /** The caller, the request and the time, which are recorded with every change. */
  readonly origin: Origin;
  readonly ruleContext: RuleContext;
}

/** The body of any successful reply. */
export type Reply = Readonly<Record<string, unknown>>;

/** A deeply read-only value. */
type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

/** The type that a reply schema describes, which an action or a view must return. */
export type ReplyOf<Schema extends TSchema> = Immutable<Static<Schema>>;

/** Refusals that every action may return without declaring them, for fields that only the action can judge. */
export type FieldRefusalCode = 'missing_fields' | 'invalid_field';

/** A call that is decided in a batch: the endpoint's rule, bound to one request. */
export interface BatchCall<Result = Reply, Code extends RefusalCode = RefusalCode> {
  readonly requestContext: RequestContext;
  readonly decide: (...loaded: never[]) => Answer<Result, Code>;
}

/**
 * Decides all waiting calls with a few statements instead of one transaction each: it loads, lets each call's rule
 * decide in order of arrival, and saves. `run` returns one result per call, in the same order.
 */
export type Batch<Call = unknown> = ReadBatch<Call> | WriteBatch<Call>;

/** The result of a call that failed on its own, while the others of its batch did not. */
export class CallFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** The result of one call of a batch. */
export type BatchResult = Reply | Refusal | CallFailure;

/** A read-only batch. */
export interface ReadBatch<Call = unknown> {
  readonly name: string;
  readonly mode: 'read';
  run(sql: Sql, calls: readonly Call[], ruleContext: RuleContext): Promise<readonly BatchResult[]>;
  /**
   * Answers a call from memory, a reply as JSON text, if the cached result is certain to be current; otherwise returns
   * undefined.
   */
  recall(call: Call, ruleContext: RuleContext): string | Refusal | undefined;
}

/** A batch that runs in a transaction. */
export interface WriteBatch<Call = unknown> {
  readonly name: string;
  readonly mode: 'write';
  run(tx: Tx, calls: readonly Call[], ruleContext: RuleContext): Promise<readonly BatchResult[]>;
}

/** The result of an action: `Result`, or one of the refusals that its endpoint lists. */
export type Answer<Result, Code extends RefusalCode> = Result | Refusal<Code | FieldRefusalCode>;

/** Reads and returns a result. */
export type ReadAction<Fields, Result, Code extends RefusalCode> = (
  sql: Sql,
  request: Request<Fields>,
) => Promise<Answer<Result, Code>>;

/** Writes in a transaction and returns a result. */
export type WriteAction<Fields, Result, Code extends RefusalCode> = (
  tx: Tx,
  request: Request<Fields>,
) => Promise<Answer<Result, Code>>;

/** The work of an endpoint whose calls are decided in batches. */
export interface BatchedWork<Fields, Result, Code extends RefusalCode> {
  readonly kind: 'batch';
  readonly batch: Batch;
  /** Binds the endpoint's rule to one call. */
  bind(fields: Fields, requestContext: RequestContext): BatchCall<Result, Code>;
}

/** The work of an endpoint. */
export type Work =
  | { readonly kind: 'read'; readonly act: ReadAction<UncheckedFields, Reply, RefusalCode> }
  | { readonly kind: 'write'; readonly act: WriteAction<UncheckedFields, Reply, RefusalCode> }
  | BatchedWork<UncheckedFields, Reply, RefusalCode>;

/** Fields as the reader returns them: checked against the endpoint's schema, but without its type. */
export type UncheckedFields = Readonly<Record<string, unknown>>;

/**
 * One request to an endpoint and its reply, for the reference. A test sends the request to the real service and
 * compares the replies, so every value must be true. See example-values.ts for values that the service generates, and
 * for the time at which examples run.
 */
export interface Example<Fields, ReplyBody> {
  /** Examples to run first, because they create the data that this example refers to. */
  readonly after?: readonly `/${string}`[];
  /**
   * Requests to other endpoints that run right before this one; their replies are not shown. All of them succeed,
   * except calls of apps that are `refused` with a code.
   */
  readonly beforehand?: readonly {
    readonly to: `/${string}`;
    readonly request: UncheckedFields;
    readonly refused?: PublishedCode;
  }[];
  readonly request: Fields;
  readonly reply: ReplyBody;
  /**
   * Paths in the reply, for example `database.bytes`, whose values differ between machines and appear nowhere else:
   * numbers, times and texts, and null if the schema allows it. The real value only has to match the schema.
   */
  readonly differing?: readonly string[];
}

/** An endpoint as defined in its file. */
export interface EndpointDefinition<Shape extends TObject, Body extends TSchema, Code extends RefusalCode> {
  /** `/createLicense`; also the endpoint's name. */
  readonly path: `/${string}`;
  /** GET and POST by default for an endpoint that only reads, POST for others. */
  readonly methods?: readonly Method[];
  readonly access: Access;
  /**
   * The lowest role that the operator's people need to call it in the console; `owner` by default. If `access` does not
   * accept console sessions by itself, a role makes the endpoint accept them.
   */
  readonly needs?: Role;
  /** Roles that may call it but not use it in full. Its action enforces the limit; sessions report it. */
  readonly limits?: Readonly<Partial<Record<Role, RoleLimit>>>;
  /** If true, a success ends the caller's console session, unless the field `sessionId` names another one. */
  readonly endsSession?: true;
  /** The quota of creators that a success uses beside that of all changes (runtime/dispatch/quotas.ts). */
  readonly quota?: Exclude<Quota, 'saves' | 'notes'>;
  /** If true, its calls carry facts about the node. Not for endpoints that are decided in batches. */
  readonly tellsOfNode?: true;
  /** One line for the reference. */
  readonly summary: string;
  /** Describes the endpoint and its pitfalls for callers. */
  readonly description: string;
  /** A request and its reply, typed by `fields` and `reply`. */
  readonly example: Example<NoInfer<Static<Shape>>, NoInfer<Static<Body>>>;
  /** Field name to schema; a field is required unless it is Type.Optional. */
  readonly fields: Shape;
  /** The error text when a required field is absent, null or empty; by default it names the required fields. */
  readonly missing?: string;
  /** The body of a success. */
  readonly reply: Body;
  /** The status of a success; 200 unless the rules say otherwise. */
  readonly successStatus?: 200 | 201;
  /** True if the webhook secret may also come as the body field `webhookSecret`. */
  readonly acceptsBodySecret?: boolean;
  /**
   * A refusal that reveals to an API key a fact about another creator's data. Each counts as a wrong credential, so
   * that nobody can probe names freely.
   */
  readonly countedRefusal?: RefusalCode;
  /** The flag in an error body: `valid` on /verify and /validate, else `success`. */
  readonly flag?: 'success' | 'valid';
  /**
   * The refusals that its action can return, for the reference; those of transport, credential and fields are implied.
   */
  readonly refusals?: readonly Code[];
  /** Further fields of the error body, by refusal. */
  readonly refusalFields?: Readonly<Partial<Record<Code, TObject>>>;
}

/** An endpoint with its types checked and erased. */
export interface Endpoint extends Omit<EndpointDefinition<TObject, TSchema, RefusalCode>, 'example'> {
  readonly example: Example<UncheckedFields, Reply>;
  readonly methods: readonly Method[];
  readonly missing: string;
  readonly refusals: readonly RefusalCode[];
  readonly successStatus: 200 | 201;
  readonly flag: 'success' | 'valid';
  /** The author of the changes of an inner endpoint (inner.ts), which identifies no caller; undefined for others. */
  readonly actor?: Actor | ((fields: UncheckedFields) => Actor) | undefined;
  readonly work: Work;
}

/** An endpoint that replies with `Body`, for sites and senders that call it inside the service. */
export interface Replying<Body> extends Endpoint {
  /** Carries the type of the reply; never present. */
  readonly replies?: Body;
}

/**
 * True if calls queue with other work and count towards the limits of their network: all except the five client
 * endpoints, which are decided in batches.
 */
export function isQueuedWork({ work }: Pick<Endpoint, 'work'>): boolean {
  return work.kind !== 'batch';
}

/**
 * True if an Idempotency-Key has an effect on a POST (rules 9): for endpoints that write. The client endpoints are safe
 * to repeat without it. Signing in is excluded, because its cookie is not stored and cannot be sent again.
 */
export function hasSafeRetries({ access, work }: Pick<Endpoint, 'access'> & Partial<Pick<Endpoint, 'work'>>): boolean {
  return work?.kind === 'write' && access !== 'client' && access !== 'signIn';
}

/** The events that the service sends to others, for the reference. */
export interface SentEvents {
  readonly schema: TObject;
  /** Every type, with an example body. Made on demand, because a start does not need it. */
  types(): readonly {
    readonly type: string;
    readonly meaning: string;
    readonly example: Readonly<Record<string, unknown>>;
  }[];
}

/** A section of the reference: a heading and its endpoints. */
export interface Section {
  readonly title: string;
  /** The purpose of the section's endpoints, in a sentence or two. */
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
  readonly sentEvents?: SentEvents;
}

/** The union of the field names of several types. */
type NamesIn<Value> = Value extends unknown ? keyof Value : never;

/** The fields of a result that the reply lacks. */
type Superfluous<Answered, Result> = Answered extends Refusal ? never : Exclude<keyof Answered, NamesIn<Result>>;

/** Matches no function if a result has a field that the reply lacks; the error names the field. */
type Exactly<Answered, Result> = [Superfluous<Answered, Result>] extends [never]
  ? unknown
  : { readonly superfluousInReply: Superfluous<Answered, Result> };

/** A declared endpoint without its work. Results must match the reply field for field, or be a listed refusal. */
export interface Declared<Fields, Result, Code extends RefusalCode> {
  /** Each call runs on its own and only reads. */
  read<Answered extends Answer<Result, Code>>(
    act: ((sql: Sql, request: Request<Fields>) => Promise<Answered>) & Exactly<NoInfer<Answered>, Result>,
  ): Replying<Result>;
  /** Each call runs in its own transaction. */
  write<Answered extends Answer<Result, Code>>(
    act: ((tx: Tx, request: Request<Fields>) => Promise<Answered>) & Exactly<NoInfer<Answered>, Result>,
  ): Replying<Result>;
  /** Calls are decided in batches. */
  batched<Answered extends Result>(
    work: BatchedWork<Fields, Answered, Code> & Exactly<NoInfer<Answered>, Result>,
  ): Replying<Result>;
}

const namesOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/**
 * Declares an endpoint. Its work follows in a second call, because only then can the compiler check the work against
 * the declaration: the fields have the types of the schema, and the result is the described reply or a listed refusal.
 *
 * @param actor of inner endpoints alone
 */
export function endpoint<Shape extends TObject, Body extends TSchema, const Code extends RefusalCode = never>(
  definition: EndpointDefinition<Shape, Body, Code>,
  actor?: Endpoint['actor'],
): Declared<Static<Shape>, ReplyOf<Body>, Code> {
  // The cast is safe: the field reader passes only values that match the schema.
  const finish = <Done extends Pick<Work, 'kind'>>(work: Done) => {
    const methods = work.kind === 'read' ? ['GET', 'POST'] : ['POST'];
    const missing = missingText(definition.fields);
    const defaults = { methods, missing, refusals: [], successStatus: 200, flag: 'success' };
    return { ...defaults, ...definition, ...(actor === undefined ? {} : { actor }), work } as unknown as Replying<
      ReplyOf<Body>
    >;
  };
  return {
    read: (act) => finish({ kind: 'read', act }),
    write: (act) => finish({ kind: 'write', act }),
    batched: (work) => finish(work),
  };
}

/** `Missing code, productId or email`; empty if no field is required. */
function missingText(fields: TObject): string {
  const required: readonly string[] = fields.required ?? [];
  return required.length === 0 ? '' : `Missing ${namesOf.format(required)}`;
}
