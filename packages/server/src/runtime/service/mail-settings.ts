/** Derives the settings of e-mails from the configuration. */
import { readFileSync } from 'node:fs';
import { mailKinds } from '../../app.ts';
import { isLoopback } from '../../ground/base/network-address.ts';
import type { SenderSettings, SettingsOf } from '../../platform/senders/sender.ts';
import type { Config } from '../config/config.ts';
import type { MailConfig } from '../config/limits.ts';

/**
 * The SMTP server and the sender of the configuration. On loopback TLS protects nothing, and the certificate of a local
 * server is usually self-signed, so STARTTLS is not required there and its certificate not checked. The same holds for
 * a server of a private network that the operator names.
 */
export function smtpSettings({ server, ownName, isPlain, caFile, from }: MailConfig): SettingsOf<'mails'>['smtp'] {
  const { host, port, isSecure, login } = server;
  const tls = isSecure ? 'always' : isLoopback(host) || isPlain ? 'offered' : 'required';
  const additionalCa = caFile === null ? null : readFileSync(caFile, 'utf8');
  return { host, port, ownName, tls, isPrivate: isPlain, login, additionalCa, from };
}

/** Returns null if this node sends no e-mail. */
export function mailSettings(
  { mail, deliveries }: Config,
  bounds: SettingsOf<'mails'>['bounds'],
): SenderSettings['mails'] {
  if (mail === null || !deliveries.isOn) return null;
  const { perHour, from } = mail;
  const kinds = mailKinds.map(({ name }) => name);
  return { smtp: smtpSettings(mail), limits: { perHour, fromAddress: from.address }, kinds, bounds };
}
