/**
 * Declares endpoints of the pages at /my: typed and run as all others, without a path outside or a page of reference.
 */
import type { Static, TObject, TSchema } from 'typebox';
import { type Declared, endpoint, type ReplyOf } from './endpoint.ts';
import type { RefusalCode } from './refusals.ts';

/** The fields and the reply of one call. */
export interface CallShape {
  readonly fields: TObject;
  readonly reply: TSchema;
}

/** Declares an endpoint with the access `customer`; its name is its path in the dispatcher. */
export function customerEndpoint<Shape extends CallShape, const Code extends RefusalCode>(
  name: string,
  { fields, reply }: Shape,
  refusals: readonly Code[],
): Declared<Static<Shape['fields']>, ReplyOf<Shape['reply']>, Code> {
  const declared = endpoint<TObject, TSchema, Code>({
    path: `/${name}`,
    access: 'customer',
    summary: '',
    description: '',
    example: { request: {}, reply: {} },
    fields,
    reply,
    refusals,
  });
  // The cast is safe: `endpoint` keeps these schemas, and its reader passes only values that match them.
  return declared as unknown as Declared<Static<Shape['fields']>, ReplyOf<Shape['reply']>, Code>;
}
