/** Refusals about e-mails. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const mailRefusals = refusals('mails', {
  mail_off: refusal(409, 'This service sends no mail', {
    means: 'The service has no SMTP server (`LATCHKEY_SMTP_URL`).',
    remedy: 'Give the customer the key in another way, or ask the operator to set `LATCHKEY_SMTP_URL`.',
    console: ['This service sends no mail.', 'Set LATCHKEY_SMTP_URL, or give the key to the customer yourself.'],
  }),
  address_not_mailable: refusal(409, 'The address of this license cannot receive mail', {
    means:
      'The stored address has characters that mail programs read as several addresses, or it belongs to a forgotten customer.',
    remedy: 'Correct the address with /changeEmail.',
    console: ['The address of this license cannot receive mail.', 'Correct the address first.'],
  }),
  mail_rate: refusal(429, 'Keys were mailed to this address three times within a day. Try again later.', {
    means: 'Three e-mails with keys, or replies, went to the address within 24 hours, over all its licenses.',
    remedy: 'Wait for `Retry-After`. The customer may find the earlier e-mails among the unwanted ones.',
    console: ['This address has got three e-mails within a day.', 'Ask the customer to look among unwanted mail.'],
  }),
  creator_mail_rate: refusal(429, 'This creator has mailed 100 keys within a day. Try again later.', {
    means: 'The creator of the API key or session sent 100 e-mails with keys, or replies, within 24 hours.',
    remedy: 'Wait for `Retry-After`, or ask the operator to send it.',
    console: ['You have sent 100 e-mails within a day.', 'Wait, or ask the operator to send it.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof mailRefusals> {}
}
