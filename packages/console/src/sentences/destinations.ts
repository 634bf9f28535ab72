/** The words for destinations, their deliveries and attempts: pure. */
import type { Delivery, DeliveryAttempt, Destination } from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';
import type { StatusWords } from '../parts/status.tsx';
import { sinceText } from '../parts/time-words.ts';

/** The state of a destination as shown. */
export interface DestinationState extends StatusWords {
  /** Names the cause and its effect on events. */
  readonly sentence: string;
}

/** The fields of a destination that its state depends on. */
export type StatedDestination = Pick<
  Destination,
  'state' | 'stateReason' | 'failingSince' | 'lastSuccessAt' | 'lastError' | 'waiting' | 'behind' | 'oldestUnsentAt'
>;

/** The filter by state: its value in the address, and its title. */
export const STATES = [
  { value: '', title: 'Any state' },
  { value: 'active', title: 'Active' },
  { value: 'failing', title: 'Failing' },
  { value: 'paused', title: 'Paused' },
  { value: 'disabled', title: 'Disabled' },
] as const satisfies readonly { readonly value: Destination['state'] | ''; readonly title: string }[];

/** A state of the filter; undefined for any, and for words that are none. */
export function stateIn(text: string): Destination['state'] | undefined {
  const found = STATES.find(({ value }) => value === text)?.value ?? '';
  return found === '' ? undefined : found;
}

/** The number of unread events up to which the service counts. */
const MAX_BEHIND = 10_000;

/** The state in a word and a sentence. @param now milliseconds since 1970 */
export function stateOf(destination: StatedDestination, now: number): DestinationState {
  const { state, stateReason, failingSince, lastSuccessAt, lastError } = destination;
  const waiting = waitingText(destination);
  if (stateReason === 'no_node_sends')
    return { tone: 'danger', title: 'Not sending', sentence: joined('No node of the service sends events.', waiting) };
  switch (state) {
    case 'active':
      if (waiting !== null) return { tone: 'good', title: 'Sending', sentence: waiting };
      return {
        tone: 'good',
        title: 'Active',
        sentence: lastSuccessAt === null ? 'No event was sent yet.' : 'All events are sent.',
      };
    case 'failing': {
      const since = failingSince === null ? '' : ` since ${sinceText(failingSince, now)}`;
      return {
        tone: 'danger',
        title: 'Failing',
        sentence: joined(
          `Failing${since}: ${errorText(lastError)}.`,
          stateReason === 'too_many_refused'
            ? 'Too many events wait for another attempt, so no further ones are sent.'
            : null,
          waiting,
        ),
      };
    }
    case 'disabled': {
      const since = failingSince === null ? '' : ` since ${sinceText(failingSince, now)}`;
      const cause =
        stateReason === 'gone'
          ? 'Stopped: the receiver answered 410 and wants no more events.'
          : `Stopped${since}: ${errorText(lastError)}.`;
      return { tone: 'danger', title: 'Disabled', sentence: joined(cause, waiting) };
    }
    case 'paused':
      return { tone: 'warn', title: 'Paused', sentence: joined(PAUSES[stateReason ?? ''] ?? 'Paused.', waiting) };
  }
}

const PAUSES: Readonly<Record<string, string>> = {
  by_person: 'Paused by a person.',
  by_command: 'Paused by a command.',
  copied: 'Paused because this database is a copy: the original may have sent the same events.',
};

/** "4,120 events wait."; null if none does. Events behind the position may include ones that do not match. */
export function waitingText({ waiting, behind }: Pick<Destination, 'waiting' | 'behind'>): string | null {
  const count = waiting + behind;
  if (count === 0) return null;
  if (behind >= MAX_BEHIND) return `${countText(MAX_BEHIND)} events or more wait.`;
  const words = `${counted(count, 'event')} ${count === 1 ? 'waits' : 'wait'}.`;
  return behind === 0 ? words : `Up to ${words}`;
}

const ERRORS: Readonly<Record<string, string>> = {
  refused: 'no connection to the receiver',
  timeout: 'no answer in time',
  certificate: 'the certificate is not accepted',
  name_not_found: 'the name has no address',
  address_not_allowed: 'the address is not public',
};

const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the receiver signed its certificate itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'an unknown authority signed the certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'an unknown authority signed the certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the receiver does not send its whole chain of certificates',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

/** A stored failure (`status 503`, `certificate: CERT_HAS_EXPIRED`) in the middle of a sentence. */
export function errorText(error: string | null): string {
  if (error === null) return 'no event was delivered';
  const status = /^status (\d+)$/.exec(error)?.[1];
  if (status !== undefined) return `the receiver answers ${status}`;
  const fault = /^certificate: (.+)$/.exec(error)?.[1];
  if (fault !== undefined) return CERTIFICATE_FAULTS[fault] ?? `the certificate is not accepted (${fault})`;
  return ERRORS[error] ?? error.replaceAll('_', ' ');
}

/** The outcome of an attempt as shown. */
export function outcomeOf({ outcome, status }: Pick<DeliveryAttempt, 'outcome' | 'status'>): StatusWords {
  if (outcome === 'delivered') return { tone: 'good', title: 'Delivered' };
  if (outcome === 'status') return { tone: 'danger', title: `Answered ${status ?? 'an error'}` };
  const text = ERRORS[outcome] ?? outcome.replaceAll('_', ' ');
  return { tone: 'danger', title: text.charAt(0).toUpperCase() + text.slice(1) };
}

/** The last failure of a delivery as a sentence. */
export function failureText({ lastError }: Pick<Delivery, 'lastError'>): string {
  const text = errorText(lastError);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The name of a destination: its description, or else the host and the path of its URL. */
export function nameOf({ description, url }: Pick<Destination, 'description' | 'url'>): string {
  return description === null || description === '' ? url.replace(/^https:\/\//, '') : description;
}

/** The types of a destination in words: "Everything in the shop", "license.*, activation.created". */
export function typesText(types: readonly string[]): string {
  return types.map((type) => (type === '*' ? 'Everything in the shop' : type)).join(', ');
}

/** "1,204 delivered, 3 failed"; "Nothing" without an attempt. */
export function lastDayText({ delivered, failed }: { readonly delivered: number; readonly failed: number }): string {
  if (delivered === 0 && failed === 0) return 'Nothing was sent';
  return [`${countText(delivered)} delivered`, ...(failed > 0 ? [`${countText(failed)} failed`] : [])].join(', ');
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' ');
}
