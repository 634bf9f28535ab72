/** Why e-mails failed, and whether they can be sent again: pure. */
import type { Mail } from '../api/contract.ts';
import { kindText } from './mail-names.ts';

/** Whether an e-mail can be sent again: it failed and is about a license. */
export function canSendAgain({ state, licenseKey }: Pick<Mail, 'state' | 'licenseKey'>): boolean {
  return state === 'failed' && licenseKey !== null;
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

/** What a failed e-mail is, and why it failed, in sentences. */
export function failureText({ kind, to, lastError }: Pick<Mail, 'kind' | 'to' | 'lastError'>): string {
  return `${kindText(kind)}, to ${to}. ${reasonText(lastError)}`;
}
