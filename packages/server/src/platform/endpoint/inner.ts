/**
 * Inner endpoints: declared and run as all others, but called by sites and senders only. They have no path outside and
 * stand in no document.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Actor } from '../events/event.ts';
import { type Declared, type Endpoint, endpoint, type Reply, type Replying, type ReplyOf } from './endpoint.ts';
import type { Outcome } from './outcome.ts';
import type { RefusalCode } from './refusals.ts';

/** The fields and the reply of one call. */
export interface CallShape {
  readonly fields: TObject;
  readonly reply: TSchema;
}

/** A refused call, with its further fields such as `nextAt`. */
export interface RefusedCall {
  readonly refused: RefusalCode;
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The reply of a call or its refusal, and the outcome as the endpoint's own callers get it. */
export type CallAnswer<Body = Reply> = ({ readonly reply: Body } | { readonly refusal: RefusedCall }) & {
  readonly outcome: Outcome;
};

/**
 * Calls an endpoint inside the service, without a credential. The endpoint reads the fields, so bad ones are refused as
 * they are outside.
 */
export type CallEndpoint = <Body>(
  endpoint: Replying<Body>,
  fields: Readonly<Record<string, unknown>>,
) => Promise<CallAnswer<Body>>;

/**
 * Declares an inner endpoint.
 *
 * @param name unique among inner endpoints
 * @param actor the author of its changes, in events and in the log; fields may name it: a purchase that a connector
 *   reports is made by the storefront, with the connector's name
 */
export function inner<Shape extends CallShape, const Code extends RefusalCode>(
  name: string,
  actor: Actor | ((fields: Static<Shape['fields']>) => Actor),
  { fields, reply }: Shape,
  refusals: readonly Code[],
): Declared<Static<Shape['fields']>, ReplyOf<Shape['reply']>, Code> {
  const declared = endpoint<TObject, TSchema, Code>(
    {
      path: `/inner/${name}`,
      access: 'inner',
      summary: '',
      description: '',
      example: { request: {}, reply: {} },
      missing: 'A field is missing',
      fields,
      reply,
      refusals,
    },
    // Its reader passes only values that match the schema.
    actor as Endpoint['actor'],
  );
  // The cast is safe: `endpoint` keeps these schemas.
  return declared as unknown as ReturnType<typeof inner<Shape, Code>>;
}

/** The answer of a call by its outcome. */
export function answerOf<Body>(outcome: Outcome): CallAnswer<Body> {
  const { status, body, refused, retryAfterSeconds } = outcome;
  const answered = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Reply;
  if (refused === undefined) return { reply: answered as Body, outcome };
  const { success: _flag, valid: _valid, error: _error, ...extra } = answered;
  const pause = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { refusal: { refused, status, extra, ...pause }, outcome };
}
