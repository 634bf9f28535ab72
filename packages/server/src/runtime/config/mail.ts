/** Reads the settings of mails: the SMTP server and the sender. No error shows the URL, which holds a password. */

import { isMailable } from '../../customers/mail/address.ts';
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from '../../ground/base/web-address.ts';
import { ConfigValueError, type Form } from './forms.ts';
import type { MailConfig, SmtpServer } from './limits.ts';
import type { Environment } from './names.ts';

/** The variables, with their defaults. */
export const MAIL_DEFAULTS = {
  LATCHKEY_SMTP_URL: null,
  LATCHKEY_SMTP_CA_FILE: null,
  LATCHKEY_SMTP_NAME: null,
  LATCHKEY_SMTP_PLAIN: null,
  LATCHKEY_MAIL_FROM: null,
  LATCHKEY_MAIL_RATE: '1000',
  LATCHKEY_MAIL_STOREFRONT: 'off',
} as const;

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const LONGEST_NAME = 100;

/** Returns the settings of e-mails; null if the server or the sender is missing. */
export function readMailConfig(given: {
  readonly server: SmtpServer | null;
  readonly ownName: string | null;
  /** The host of a private network that may have no TLS. */
  readonly plainHost: string | null;
  readonly from: MailConfig['from'] | null;
  readonly caFile: string | null;
  readonly perHour: number | null;
}): MailConfig | null {
  const { server, ownName, plainHost, from, caFile, perHour } = given;
  if (server === null || from === null) return null;
  return Object.freeze({ server, ownName, isPlain: plainHost === server.host, from, caFile, perHour });
}

/** The URL of an SMTP server: `smtps://user:password@mail.example.com:465`, or `smtp://` with STARTTLS. */
export const smtpServer: Form<SmtpServer> = (text) => {
  if (hasControlCharacter(text)) throw new ConfigValueError(NO_CONTROL_CHARACTERS);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new ConfigValueError(
      'must be a URL that begins with smtps:// or smtp://, such as smtps://user:password@mail.example.com; characters ' +
        'such as @ : / ? # % in the user or the password are percent-encoded',
    );
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    throw new ConfigValueError(
      'must have nothing after the host and the port; characters such as / ? # in the password are percent-encoded',
    );
  if ((url.username === '') !== (url.password === ''))
    throw new ConfigValueError('must have both a user and a password, or none of them');
  const isSecure = url.protocol === 'smtps:';
  const port = url.port === '' ? (isSecure ? SMTPS_PORT : SMTP_PORT) : Number(url.port);
  if (port === 0) throw new ConfigValueError('must not have the port 0');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const login = url.username === '' ? null : { user: decoded(url.username), password: decoded(url.password) };
  return Object.freeze({ host, port, isSecure, login });
};

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigValueError('has a % that encodes nothing in its user or password; a % itself is written %25');
  }
}

/** The sender of mails: `licenses@example.com`, or `Example Licenses <licenses@example.com>`. */
export const mailFrom: Form<MailConfig['from']> = (text) => {
  const [, name, bracketed] = /^([^<>]*?)\s*<([^<>]*)>$/.exec(text) ?? [];
  const address = bracketed ?? text;
  const shown = name === undefined || name === '' ? null : name;
  const isName = shown === null || (shown.length <= LONGEST_NAME && /^[^\p{C}"\\]+$/u.test(shown));
  if (isMailable(address) && isName) return Object.freeze({ name: shown, address });
  throw new ConfigValueError(
    `must be an address such as licenses@example.com, or a name of at most ${LONGEST_NAME} characters with an address, ` +
      'such as Example Licenses <licenses@example.com>',
  );
};

/** Returns the errors of variables about e-mails that contradict each other, or that need another one. */
export function mailContradictions(environment: Environment, { mail }: { readonly mail: MailConfig | null }): string[] {
  const errors: string[] = [];
  if (environment.LATCHKEY_SMTP_URL && !environment.LATCHKEY_MAIL_FROM)
    errors.push('LATCHKEY_MAIL_FROM must be set too when LATCHKEY_SMTP_URL is');
  for (const name of ['LATCHKEY_MAIL_FROM', 'LATCHKEY_SMTP_CA_FILE', 'LATCHKEY_SMTP_NAME', 'LATCHKEY_SMTP_PLAIN'])
    if (environment[name] && !environment.LATCHKEY_SMTP_URL)
      errors.push(`LATCHKEY_SMTP_URL must be set too when ${name} is`);
  if (environment.LATCHKEY_MAIL_STOREFRONT === 'on' && !environment.LATCHKEY_SMTP_URL)
    errors.push('LATCHKEY_SMTP_URL must be set too when LATCHKEY_MAIL_STOREFRONT is on');
  if (environment.LATCHKEY_SMTP_PLAIN && mail !== null) {
    if (!mail.isPlain || mail.server.isSecure)
      errors.push('LATCHKEY_SMTP_PLAIN must be the host of an LATCHKEY_SMTP_URL that begins with smtp://');
    if (mail.server.login !== null)
      errors.push(
        'LATCHKEY_SMTP_PLAIN must not be set with a password in LATCHKEY_SMTP_URL: it would be readable on the way',
      );
  }
  return errors;
}
