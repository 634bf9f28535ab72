/** Recorded changes as sentences: pure. */
import type { Event, EventType, ViolationType } from '../api/contract.ts';
import { countryName } from '../parts/country-words.ts';
import { fieldName, valueText } from './fields.ts';

type Facts = Readonly<Record<string, unknown>>;

/** The fields of an event that its sentence needs. */
export type TellableEvent = Pick<Event, 'type' | 'before' | 'after' | 'productId'>;

/** Groups of event types, for the filter of a list. */
export const EVENT_GROUPS: readonly {
  readonly id: string;
  readonly title: string;
  readonly types: readonly EventType[];
}[] = [
  { id: 'issued', title: 'Licenses issued and renewed', types: ['license.created', 'license.renewed'] },
  {
    id: 'expired',
    title: 'Licenses expiring and expired',
    types: ['license.expiring', 'license.expired', 'license.updates_expiring'],
  },
  {
    id: 'changed',
    title: 'Licenses changed',
    types: ['license.updated', 'license.email_changed', 'license.activation_limit_lifted'],
  },
  {
    id: 'revoked',
    title: 'Revoked, reinstated and replaced',
    types: ['license.revoked', 'license.reinstated', 'license.replaced'],
  },
  {
    id: 'machines',
    title: 'Machines, users and sessions',
    types: [
      ...(['activation.created', 'activation.moved', 'activation.deleted', 'activations.reset'] as const),
      ...(['user.released', 'session.ended', 'license_file.issued'] as const),
    ],
  },
  { id: 'usage', title: 'Meters', types: ['usage.limit_reached', 'usage.adjusted'] },
  { id: 'self-service', title: 'Links and brand for customers', types: ['customer_link.created', 'brand.updated'] },
  {
    id: 'replies',
    title: 'Texts of replies and e-mails',
    types: ['reply_template.saved', 'reply_template.deleted', 'mail_template.saved', 'mail_template.deleted'],
  },
  { id: 'violations', title: 'Violations', types: ['violation.opened', 'violation.raised', 'violation.resolved'] },
  { id: 'notes', title: 'Notes', types: ['license.noted', 'license.note_deleted'] },
  {
    id: 'catalogue',
    title: 'Products and variants',
    types: ['product.created', 'product.updated', 'variant.created', 'variant.updated'],
  },
  {
    id: 'codes',
    title: 'Trial codes',
    types: ['discount_code.created', 'discount_code.updated', 'discount_code.redeemed', 'discount_code.deleted'],
  },
  { id: 'orders', title: 'Studio orders', types: ['studio_order.created', 'studio_seat.redeemed'] },
  {
    id: 'keys',
    title: 'Keys and sign-ins',
    types: [
      'api_key.created',
      'api_key.revoked',
      'operator_key.created',
      'operator_key.revoked',
      'token_key.dropped',
      'console_session.created',
      'console_session.ended',
      'console_session.refused',
    ],
  },
  {
    id: 'shops',
    title: 'Shops',
    types: ['connector.created', 'connector.updated', 'connector.deleted'],
  },
  {
    id: 'destinations',
    title: 'Destinations of events',
    types: [
      'destination.created',
      'destination.updated',
      'destination.secret_rotated',
      'destination.paused',
      'destination.resumed',
      'destination.failing',
      'destination.disabled',
      'destination.deleted',
    ],
  },
  { id: 'customers', title: 'Customers forgotten', types: ['customer.forgotten'] },
];

/** The beginning of a line for each event type: short, in the past tense. */
const SENTENCES: Readonly<Record<EventType, (facts: Facts, event: TellableEvent) => string>> = {
  'license.created': ({ email }, { productId }) =>
    `A license was issued${to(email)}${productId === null ? '' : ` for ${productId}`}.`,
  'license.updated': ({ reason }) =>
    reason === 'activation' ? 'The time of a license began with its first activation.' : 'A license was changed.',
  'license.renewed': ({ expiresAt, waiting }) =>
    waiting
      ? 'A license was renewed before its first activation.'
      : `A license was renewed until ${valueText('expiresAt', expiresAt)}.`,
  'license.expiring': ({ daysRemaining }) =>
    `A license was due to expire in ${said(daysRemaining)} ${daysRemaining === 1 ? 'day' : 'days'}.`,
  'license.expired': () => 'A license expired.',
  'license.updates_expiring': ({ daysRemaining }) =>
    `The updates of a license were due to end in ${said(daysRemaining)} ${daysRemaining === 1 ? 'day' : 'days'}.`,
  'license.revoked': ({ reason }) =>
    `A license was revoked${typeof reason === 'string' ? ` because of ${REASONS[reason] ?? reason}` : ''}.`,
  'license.replaced': ({ replaces, replacedBy }) =>
    typeof replaces === 'string'
      ? `A license took the place of the one with the key ${said(replaces)}.`
      : `The key of a license was replaced by ${said(replacedBy)}.`,
  'license.reinstated': () => 'A license was reinstated.',
  'license.activation_limit_lifted': () => 'The limit of activations in an hour was lifted.',
  'license.noted': ({ text }) =>
    typeof text === 'string' ? `A note was written: ${noteBeginning(text)}` : 'A note was written, and deleted since.',
  'license.note_deleted': () => 'A note was deleted.',
  'license.email_changed': ({ email }) => `A license got the e-mail address ${said(email)}.`,
  'activation.created': ({ hostname, country }) =>
    `${machine(hostname)} was activated${typeof country === 'string' ? ` in ${countryName(country)}` : ''}.`,
  'activation.moved': ({ user }) => `A machine was taken over by the user ${said(user)}.`,
  'user.released': ({ user, machines }) => `The user ${said(user)} was released, with ${said(machines)} machines.`,
  'activation.deleted': ({ hostname, reason }) =>
    `${machine(hostname)} was removed${reason === 'idle' ? ' to make room for another machine' : ''}.`,
  'activations.reset': () => 'All machines of a license were removed.',
  'usage.limit_reached': ({ meter, limit }) => `The limit of ${said(meter)} was reached: ${said(limit)}.`,
  'usage.adjusted': ({ meter, used }) => `The use of ${said(meter)} was set to ${said(used)}.`,
  'session.ended': () => 'A session was ended; its seat is free.',
  'license_file.issued': ({ hostname }) => `A license file was created for ${said(hostname)}.`,
  'customer_link.created': ({ expiresAt }) =>
    `A link for the customer was created, valid until ${valueText('expiresAt', expiresAt)}.`,
  'brand.updated': () => 'The brand of the pages for customers was changed.',
  'reply_template.saved': ({ name }) =>
    name === undefined ? 'A reply template was changed.' : `The reply template "${said(name)}" was saved.`,
  'reply_template.deleted': ({ name }) => `The reply template "${said(name)}" was deleted.`,
  'mail_template.saved': ({ kind, language }) => `The text of e-mails was changed: ${said(kind)}, ${said(language)}.`,
  'mail_template.deleted': ({ kind, language }) => `The text of e-mails was deleted: ${said(kind)}, ${said(language)}.`,
  'violation.opened': ({ type }) => `A violation was found: ${violationName(type)}.`,
  'violation.raised': ({ severity }) => `A violation became more severe: ${said(severity)} of 4.`,
  'violation.resolved': ({ type }) =>
    `A violation was resolved${type === undefined ? '' : `: ${violationName(type)}`}.`,
  'product.created': ({ name }) => `The product ${said(name)} was created.`,
  'product.updated': (_, { productId }) => `The product ${said(productId)} was changed.`,
  'variant.created': ({ name }) => `The variant ${said(name)} was created.`,
  'variant.updated': () => 'A variant was changed.',
  'discount_code.created': ({ code }) => `The trial code ${said(code)} was created.`,
  'discount_code.updated': () => 'A trial code was changed.',
  'discount_code.redeemed': () => 'A trial code was redeemed.',
  'discount_code.deleted': ({ code }) => `The trial code ${said(code)} was deleted.`,
  'api_key.created': ({ name }) => `The API key "${said(name)}" was created.`,
  'api_key.revoked': ({ revoked }) =>
    typeof revoked === 'number' ? `${revoked} API keys were revoked.` : 'An API key was revoked.',
  'operator_key.created': ({ name }) => `An operator key was created for ${said(name)}.`,
  'operator_key.revoked': ({ name }) => `The operator key of ${said(name)} was revoked.`,
  'token_key.dropped': () => 'A key that signs session tokens was dropped; apps activate again.',
  'console_session.created': ({ name, count }) => `${said(name)} signed in to the console${times(count)}.`,
  'console_session.ended': ({ name, count }) =>
    typeof count === 'number'
      ? `${count} console sessions of ${said(name)} were ended.`
      : `The console session of ${said(name)} was ended.`,
  'console_session.refused': ({ name, reason, count }) =>
    `${said(name)} was refused${times(count)}: ${reason === 'not_mapped' ? 'no role' : 'address not verified'}.`,
  'studio_order.created': ({ seatCount }) => `A studio order with ${said(seatCount)} seats was created.`,
  'studio_seat.redeemed': ({ redeemedBy }) => `A seat of a studio order was redeemed by ${said(redeemedBy)}.`,
  'destination.created': ({ origin }) => `Events are sent to ${said(origin)}.`,
  'destination.updated': () => 'A destination of events was changed.',
  'destination.secret_rotated': () => 'A destination of events got another secret.',
  'destination.paused': () => 'A destination of events was paused.',
  'destination.resumed': () => 'A destination of events was resumed.',
  'destination.failing': ({ origin }) => `Events do not reach ${said(origin)}.`,
  'destination.disabled': () => 'A destination of events was disabled.',
  'destination.deleted': ({ origin }) => `Events are no longer sent to ${said(origin)}.`,
  'connector.created': ({ name }) => `The shop ${said(name)} was connected.`,
  'connector.updated': () => 'A connected shop was changed.',
  'connector.deleted': ({ name }) => `The shop ${said(name)} is no longer connected.`,
  'customer.forgotten': () => 'A customer was forgotten.',
};

const REASONS: Readonly<Record<string, string>> = { refund: 'a refund', chargeback: 'a chargeback', fraud: 'fraud' };

const VIOLATIONS: Readonly<Record<ViolationType, string>> = {
  machine_limit: 'more machines than allowed',
  activation_rate: 'too many activations in an hour',
  token_replay: 'a token used by another machine',
  country_spread: 'many countries in one day',
  refund: 'a refund',
  chargeback: 'a chargeback',
  fraud: 'fraud',
};

/** The sentence of an event. Types from a newer service appear under their own name. */
export function eventSentence(event: TellableEvent): string {
  const facts = { ...event.before, ...event.after };
  const tell: (typeof SENTENCES)[EventType] | undefined = SENTENCES[event.type];
  return tell === undefined ? `${event.type.replaceAll(/[._]/g, ' ')}.` : tell(facts, event);
}

/** The type of a violation in the middle of a sentence. */
export function violationName(type: unknown): string {
  return (VIOLATIONS as Readonly<Record<string, string>>)[String(type)] ?? String(type).replaceAll('_', ' ');
}

/** The actor: a person, an app, a shop, or the service itself. */
export function actorText({ kind, id, keyName }: Event['actor']): string {
  switch (kind) {
    case 'operator':
      return keyName ?? 'Operator';
    case 'creator':
      return keyName === null ? `Creator ${said(id)}` : `Creator ${said(id)}, key "${keyName}"`;
    case 'storefront':
      return keyName ?? 'Storefront';
    case 'client':
      return 'App';
    case 'customer':
      return keyName === null ? 'Customer' : `Customer, by link of ${keyName}`;
    case 'command':
      return `Command ${said(id)}`;
    case 'service':
      return `Service (${said(id)})`;
  }
}

/** One changed field. */
export interface ChangedField {
  readonly name: string;
  /** Null if there was no value before. */
  readonly before: string | null;
  /** Null if the value was removed. */
  readonly after: string | null;
}

/** The differing fields. Fields of a new or deleted item have one side. */
export function changedFields({ before, after }: Pick<Event, 'before' | 'after'>): readonly ChangedField[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return names.map((field) => ({
    name: fieldName(field),
    before: before !== null && field in before ? valueText(field, before[field]) : null,
    after: after !== null && field in after ? valueText(field, after[field]) : null,
  }));
}

/**
 * The differences in one line: `Machines allowed: 2 → 3`. Only fields with a value before and a different one after.
 */
export function changesText(event: Pick<Event, 'before' | 'after'>): string {
  return changedFields(event)
    .filter(({ before, after }) => before !== null && after !== null && before !== after)
    .map(({ name, before, after }) => `${name}: ${before} → ${after}`)
    .join(', ');
}

function said(value: unknown): string {
  return value === null || value === undefined ? 'somebody' : String(value);
}

function times(count: unknown): string {
  return typeof count === 'number' ? `, ${count} times within an hour` : '';
}

function to(email: unknown): string {
  return typeof email === 'string' ? ` to ${email}` : '';
}

function machine(hostname: unknown): string {
  return typeof hostname === 'string' && hostname !== '' ? hostname : 'A machine';
}

const LONGEST_NOTE = 120;

/** The beginning of a note, on one line. */
export function noteBeginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_NOTE ? `${line.slice(0, LONGEST_NOTE)}…` : line;
}
