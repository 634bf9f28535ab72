/** Tries the SMTP server of the configuration. */

import { Smtp } from '../../customers/mail/smtp.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { MailConfig } from '../../runtime/config/limits.ts';
import { smtpSettings } from '../../runtime/service/mail-settings.ts';

/** Returns the address of a server without user and password. */
export function mailServerName({ server: { host, port, isSecure } }: MailConfig): string {
  return `${isSecure ? 'smtps' : 'smtp'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Connects and logs in, without sending anything; a start does not need the server. */
export async function checkMailServer({
  mail,
  deliveries,
}: Config): Promise<{ readonly facts: readonly string[]; readonly warnings: readonly string[] }> {
  if (mail === null) return { facts: [], warnings: [] };
  const server = mailServerName(mail);
  const warnings = deliveries.isOn ? [] : ['LATCHKEY_DELIVERIES is off, so this node sends no mail; others must'];
  try {
    await new Smtp(smtpSettings(mail)).verify();
    return { facts: [`Mail is sent from ${mail.from.address} by ${server}, which answers.`], warnings };
  } catch (error) {
    return { facts: [], warnings: [...warnings, `${server} of LATCHKEY_SMTP_URL: ${(error as Error).message}`] };
  }
}
