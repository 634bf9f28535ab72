/**
 * Messages between the main thread and the threads that run calls. Calls and outcomes travel as tuples, because copying
 * one flat list costs a third of copying the equivalent objects (4 against 10 microseconds a call), and there is one of
 * each per request. Names of fields stay behind, because both sides know them (2.5 instead of 4 microseconds).
 */

import type { MessagePort } from 'node:worker_threads';
import type { Sample } from '../../ground/measures/measures.ts';
import type { ClockState } from '../../platform/believed-time/believed-time.ts';
import type { CallerNames, Credential } from '../../platform/endpoint/caller.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import type { FieldsRead } from '../../platform/endpoint/fields.ts';
import type { NodeFacts } from '../../platform/endpoint/node-facts.ts';
import type { Outcome } from '../../platform/endpoint/outcome.ts';
import type { RefusalCode } from '../../platform/endpoint/refusals.ts';
import type { SenderName, SettingsOf } from '../../platform/senders/sender.ts';
import type { LostFile } from '../../storage/contract/availability.ts';
import type { PassedMessages } from '../../storage/contract/published.ts';
import type { Availability } from '../../storage/contract/storage.ts';
import type { Call, Idempotency } from './call.ts';
import type { Observations } from './rule-parts.ts';

/** To a thread: numbered calls, a request for a trial write, observed calls, the loss of the file, or close. */
export type ToThread =
  | { readonly kind: 'calls'; readonly calls: readonly CallMessage[] }
  | { readonly kind: 'probe'; readonly now: number }
  /** Observed calls of the main thread, for the writer to store. */
  | { readonly kind: 'observed'; readonly observed: Observations }
  /** The file must no longer be used, for a reason that another thread found. */
  | { readonly kind: 'file lost'; readonly availability: LostFile }
  /** The writer serves the writes of a sender on this port. */
  | {
      readonly kind: 'sender';
      readonly name: SenderName;
      readonly port: MessagePort;
      readonly settings: SettingsOf<SenderName>;
    }
  | { readonly kind: 'close' };

/**
 * From a thread. `published` are the messages for every thread of the commits behind these outcomes; sent with the
 * outcomes or before them.
 */
export type FromThread =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'outcomes';
      readonly published: readonly PassedMessages[];
      readonly outcomes: readonly OutcomeMessage[];
    }
  /** The availability of the database has changed. */
  | { readonly kind: 'availability'; readonly availability: Availability }
  /** The trial write has ended, with its failure if any. */
  | { readonly kind: 'probed'; readonly failure: string | null }
  /** The thread's measurements so far; sent about once a second if metrics are enabled. */
  | { readonly kind: 'measured'; readonly samples: readonly Sample[] }
  /** The state of the clock after a round of the comparison. */
  | { readonly kind: 'clock'; readonly state: ClockState }
  /** A change may make a sender needed that does not send yet. */
  | { readonly kind: 'sender needed'; readonly name: SenderName }
  /** The observed calls have been accepted. */
  | { readonly kind: 'observed taken' }
  /** Work other than a call failed; for the log. */
  | { readonly kind: 'failure'; readonly failure: string };

export type CallMessage = readonly [
  number: number,
  path: string,
  credential: Credential | null,
  /** Values in the order of the endpoint's fields; undefined for absent ones. */
  fieldValues: readonly unknown[] | null,
  refusedFields: FieldsRead | null,
  now: number,
  country: string | null,
  address: string | null,
  idempotency: Idempotency | null,
  requestId: string,
  /** Present for the few calls that need it. */
  node?: NodeFacts,
];

export type OutcomeMessage = readonly [
  number: number,
  status: number,
  body: string | Uint8Array,
  retryAfterSeconds?: number | undefined,
  refused?: RefusalCode | undefined,
  failure?: string | undefined,
  showedUnknownKey?: true | undefined,
  caller?: CallerNames | undefined,
  changedLicenses?: readonly string[] | undefined,
];

const encoder = new TextEncoder();
const NO_CREDENTIAL: Credential = { kind: 'none' };

/** Names of the fields of each endpoint, by path. */
export type FieldNames = ReadonlyMap<string, readonly string[]>;

export function fieldNamesOf(endpoints: ReadonlyMap<string, Pick<Endpoint, 'fields'>>): FieldNames {
  return new Map([...endpoints].map(([path, { fields }]) => [path, Object.keys(fields.properties)]));
}

/** Encodes a call. */
export function packCall(number: number, call: Call, fieldNames: FieldNames): CallMessage {
  const { path, credential, read, requestContext, idempotency } = call;
  const fields = 'fields' in read ? valuesOf(read.fields, fieldNames.get(path) ?? []) : null;
  const { node } = requestContext;
  const message = [
    number,
    path,
    credential.kind === 'none' ? null : credential,
    fields,
    fields === null ? read : null,
    requestContext.now,
    requestContext.country,
    requestContext.address,
    idempotency,
    requestContext.requestId,
  ] as const;
  return node === undefined ? message : [...message, node];
}

/** Decodes a call. */
export function unpackCall(message: CallMessage, fieldNames: FieldNames): Call {
  const [, path, credential, values, refusedFields, now, country, address, idempotency, requestId, node] = message;
  return {
    path,
    credential: credential ?? NO_CREDENTIAL,
    read: refusedFields ?? { fields: fieldsOf(values ?? [], fieldNames.get(path) ?? []) },
    requestContext: { requestId, now, country, address, ...(node === undefined ? {} : { node }) },
    idempotency,
  };
}

function valuesOf(fields: Readonly<Record<string, unknown>>, names: readonly string[]): unknown[] {
  return names.map((name) => fields[name]);
}

function fieldsOf(values: readonly unknown[], names: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let index = 0; index < values.length; index += 1) {
    const [name, value] = [names[index], values[index]];
    if (name !== undefined && value !== undefined) fields[name] = value;
  }
  return fields;
}

/** A longer text is passed on as bytes, so that neither thread keeps a copy of a long list. In characters. */
const LONG_TEXT = 16 * 1024;

/**
 * Encodes an outcome.
 *
 * @param transferred gets the buffer of a long body, which moves with the message
 */
export function packOutcome(number: number, outcome: Outcome, transferred: ArrayBuffer[]): OutcomeMessage {
  let { body } = outcome;
  if (typeof body === 'string' && body.length > LONG_TEXT) {
    const bytes = encoder.encode(body);
    transferred.push(bytes.buffer);
    body = bytes;
  }
  const { status, retryAfterSeconds, refused, failure, showedUnknownKey, caller, changedLicenses } = outcome;
  const isPlain = refused === undefined && showedUnknownKey === undefined && caller === undefined;
  if (isPlain && changedLicenses === undefined) return [number, status, body];
  return [number, status, body, retryAfterSeconds, refused, failure, showedUnknownKey, caller, changedLicenses];
}

/** Decodes an outcome. */
export function unpackOutcome(message: OutcomeMessage): Outcome {
  if (message.length === 3) return { status: message[1], body: message[2] };
  const [, status, body, retryAfterSeconds, refused, failure, showedUnknownKey, caller, changedLicenses] = message;
  return {
    status,
    body,
    ...(refused === undefined ? {} : { refused }),
    ...(showedUnknownKey === undefined ? {} : { showedUnknownKey }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(failure === undefined ? {} : { failure }),
    ...(caller === undefined ? {} : { caller }),
    ...(changedLicenses === undefined ? {} : { changedLicenses }),
  };
}
