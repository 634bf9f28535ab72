/** The words for e-mails: pure. */
import type { Mail } from '../api/contract.ts';
import type { StatusWords } from '../parts/status.tsx';
import { relativeTime } from '../parts/time-words.ts';
import { STATES } from './names.ts';

/** A state of the filter; undefined for all, and for words that are none. */
export function stateIn(text: string): Mail['state'] | undefined {
  return STATES.find(({ value }) => value !== '' && value === text)?.value as Mail['state'] | undefined;
}

/** Whether an e-mail can be sent again: it failed and is about a license. */
export function canSendAgain({ state, licenseKey }: Pick<Mail, 'state' | 'licenseKey'>): boolean {
  return state === 'failed' && licenseKey !== null;
}

/** The state of an e-mail as shown. */
export interface MailState extends StatusWords {
  /** The reason and the consequence; '' without either. */
  readonly sentence: string;
}

/** The state in a word and a sentence. @param now milliseconds since 1970 */
export function stateOf(mail: Pick<Mail, 'state' | 'attempts' | 'dueAt' | 'lastError'>, now: number): MailState {
  const { state, attempts, dueAt, lastError } = mail;
  switch (state) {
    case 'sent':
      return { tone: 'good', title: 'Sent', sentence: '' };
    case 'dropped':
      return { tone: 'quiet', title: 'Dropped', sentence: 'It was no longer needed.' };
    case 'failed':
      return { tone: 'danger', title: 'Failed', sentence: reasonText(lastError) };
    case 'waiting': {
      if (lastError === null)
        return {
          tone: 'quiet',
          title: 'Waiting',
          sentence: attempts === 0 ? 'Not tried yet.' : 'The first attempt is in progress.',
        };
      const next = dueAt === null ? '' : ` Next attempt ${relativeTime(dueAt, now)}.`;
      return { tone: 'warn', title: 'Waiting', sentence: `${reasonText(lastError)}${next}` };
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  timeout: 'The mail server did not answer in time.',
  'name not found': 'The name of the mail server has no address.',
  'connection closed': 'The mail server closed the connection.',
  'no connection': 'There was no connection to the mail server.',
  'no STARTTLS': 'The mail server offers no encryption.',
  'login refused': 'The mail server refused the login.',
  'address not mailable': 'Mail programs would read this as several addresses, or as a different one.',
  'address not accepted': 'The mail server did not accept the address.',
  interrupted: 'The service ended during the last attempt, so the e-mail may have arrived.',
  'waited too long': 'It waited for more than two days.',
};

/** Why an e-mail failed, as a sentence. */
export function reasonText(error: string | null): string {
  if (error === null || error === '') return 'The reason is not known.';
  return REASONS[error] ?? `The mail server answered: ${/[.!?]$/.test(error) ? error : `${error}.`}`;
}
