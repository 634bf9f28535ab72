import { isMailable } from '../../customers/mail/address.ts';
import { mintMailId } from '../../customers/mail/mail.ts';
import { Smtp } from '../../customers/mail/smtp.ts';
import { TEST_TEXT } from '../../customers/mail/test-text.ts';
import { systemClock } from '../../ground/base/clock.ts';
import { smtpSettings } from '../../runtime/service/mail-settings.ts';
import type { Command } from './command.ts';
import { mailServerName } from './mail-server.ts';

export const sendTestMail: Command = {
  name: 'send-test-mail',
  summary:
    'send an e-mail by the configured SMTP server, at once and without the service, and show what the server answers',
  positionals: ['ADDRESS'],
  example: 'send-test-mail ada@example.com',
  isOnDatabase: false,
  more: [
    'Look at the received e-mail: its headers show whether SPF, DKIM and DMARC pass. docs/shops/mail.md explains them.',
  ],
  async run({ config: { mail }, positionals: [to = ''], print }) {
    if (mail === null) throw new Error('Set LATCHKEY_SMTP_URL and LATCHKEY_MAIL_FROM: no SMTP server is configured.');
    if (!isMailable(to)) throw new Error(`${JSON.stringify(to)} is not an address that the service sends mail to.`);
    const now = systemClock();
    const server = mailServerName(mail);
    const result = await new Smtp(smtpSettings(mail)).send({
      ...{ ...TEST_TEXT, to, at: now },
      messageId: `<${mintMailId(now)}@${mail.from.address.split('@')[1]}>`,
    });
    if (result.outcome === 'sent') return print(`${server} has accepted an e-mail from ${mail.from.address} to ${to}.`);
    throw new Error(`${server} did not accept the e-mail: ${result.answer ?? result.error}.`);
  },
};
