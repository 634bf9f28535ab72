/**
 * Hands e-mails to the SMTP server. Each e-mail has a connection of its own: an idle one may be dead without a sign,
 * and a mail that hangs can be ended without harm to another one ([decision
 * 46](../../../../docs/contributors/decisions/0046-mails.md)).
 */
import { lookup } from 'node:dns/promises';
import { rootCertificates } from 'node:tls';
import { isLoopbackOrPrivate } from '../../ground/base/network-address.ts';
import type { MailText } from '../../platform/endpoint/mail-kind.ts';
import { oneLine } from './layout.ts';

/** The SMTP server and the sender. Plain data, because a thread gets it. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** The name with which this side greets the server; null for the name of this machine. */
  readonly ownName: string | null;
  /** `always`: from the first byte; `required`: by STARTTLS; `offered`: by STARTTLS if offered, unchecked. */
  readonly tls: 'always' | 'required' | 'offered';
  /** Whether the server must have an address of this machine or of a private network. */
  readonly isPrivate: boolean;
  /** Secret. */
  readonly login: { readonly user: string; readonly password: string } | null;
  /** Certificates that are trusted besides the usual ones, as PEM; null for none. */
  readonly additionalCa: string | null;
  readonly from: { readonly name: string | null; readonly address: string };
}

/** An e-mail as it is handed over. */
export interface OutgoingMail extends MailText {
  readonly to: string;
  readonly messageId: string;
  /** Its date, in milliseconds since 1970. */
  readonly at: number;
}

/** The result of an attempt. */
export type SmtpResult =
  | { readonly outcome: 'sent' }
  | {
      /** `refused`: for good; `unavailable`: another attempt may succeed. */
      readonly outcome: 'refused' | 'unavailable';
      /** For logs: without addresses, and without words of the server. */
      readonly error: string;
      /** The answer of the server to this e-mail, on one line; null without one. */
      readonly answer: string | null;
      /** False if the server could not be used at all, so other e-mails would fail as well. */
      readonly isConnected: boolean;
    };

/** Time to connect, and time for an attempt with everything. */
const TIMES = { connectMs: 10_000, attemptMs: 30_000 };
const LONGEST_ANSWER = 300;
/** The server wants a login, which is a mistake of the configuration and not of the e-mail. */
const LOGIN_REQUIRED = 530;

const AUTO_SUBMITTED = { 'Auto-Submitted': 'auto-generated' };

/** Answers that ask to come back later, at any step: the server closes, or cannot check a login now. */
const LATER: readonly number[] = [421, 454];

/** The errors of nodemailer, in words for logs. */
const ERRORS: Readonly<Record<string, string>> = {
  EABORT: 'timeout',
  ETIMEDOUT: 'timeout',
  EDNS: 'name not found',
  ECONNECTION: 'connection closed',
  ESOCKET: 'no connection',
  ETLS: 'no STARTTLS',
  EAUTH: 'login refused',
  EPUBLIC: 'no address of a private network',
  ENOAUTH: 'login refused',
};

/** Loads the library at the first attempt, because it brings the HTTP client of Node.js along. */
async function openTransport(settings: SmtpSettings, { connectMs, attemptMs }: typeof TIMES) {
  const host = settings.isPrivate ? await privateAddressOf(settings.host) : settings.host;
  // A bundle gives a CommonJS module no other name than the default one.
  const { default: nodemailer } = await import('nodemailer');
  const { port, ownName, tls, login, additionalCa } = settings;
  return nodemailer.createTransport({
    ...{ host, port, secure: tls === 'always', requireTLS: tls === 'required' },
    ...(ownName === null ? {} : { name: ownName }),
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, dnsTimeout: connectMs },
    ...{ socketTimeout: attemptMs, socketCloseTimeout: 0 },
    tls: {
      ...(additionalCa === null ? {} : { ca: [...rootCertificates, additionalCa] }),
      rejectUnauthorized: tls !== 'offered',
    },
    ...{ disableFileAccess: true, disableUrlAccess: true, logger: false },
  });
}

/** An address of a host whose addresses are all of this machine or of private networks. @throws otherwise */
async function privateAddressOf(host: string): Promise<string> {
  const addresses = await lookup(host, { all: true });
  const [first] = addresses;
  if (first !== undefined && addresses.every(({ address }) => isLoopbackOrPrivate(address))) return first.address;
  throw Object.assign(new Error('LATCHKEY_SMTP_PLAIN names a server of a private network'), { code: 'EPUBLIC' });
}

/** An SMTP server. */
export class Smtp {
  readonly #settings: SmtpSettings;
  readonly #times: typeof TIMES;
  #opened: ReturnType<typeof openTransport> | undefined;

  constructor(settings: SmtpSettings, times = TIMES) {
    this.#settings = settings;
    this.#times = times;
  }

  #transport() {
    // The address of a private server is checked at each attempt.
    if (this.#settings.isPrivate) return openTransport(this.#settings, this.#times);
    this.#opened ??= openTransport(this.#settings, this.#times);
    return this.#opened;
  }

  /** Hands over one e-mail. The signal ends the attempt, whose outcome is then unknown. */
  async send(mail: OutgoingMail, signal?: AbortSignal): Promise<SmtpResult> {
    const { from } = this.#settings;
    const { to, subject, text, html, replyTo, messageId, at } = mail;
    const ended = AbortSignal.timeout(this.#times.attemptMs);
    try {
      await (await this.#transport()).sendMail({
        from: { name: oneLine(nameOfSender(mail, from)), address: from.address },
        to: { name: '', address: to },
        envelope: { from: from.address, to: [to] },
        ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
        ...{ subject: oneLine(subject), text, html, messageId, date: new Date(at), headers: AUTO_SUBMITTED },
        xMailer: false,
        signal: signal === undefined ? ended : AbortSignal.any([ended, signal]),
      });
      return { outcome: 'sent' };
    } catch (error) {
      return this.#resultOf(error as SmtpError);
    }
  }

  /** Connects and logs in. @throws an error whose message is for the operator, without secrets */
  async verify(): Promise<void> {
    try {
      await (await this.#transport()).verify();
    } catch (error) {
      throw new Error(this.describe(error as SmtpError));
    }
  }

  /** Describes a failure for the operator. */
  describe(error: SmtpError): string {
    const { code = '', message } = error;
    if (LATER.includes(Number(error.responseCode))) return `later (${this.#withoutSecrets(error.response ?? message)})`;
    const word = ERRORS[code] ?? code;
    // The answer to a login may repeat the password.
    return code === 'EAUTH' ? word : `${word} (${this.#withoutSecrets(message)})`;
  }

  #resultOf(error: SmtpError): SmtpResult {
    const { code = '', responseCode = 0, response } = error;
    const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
    if (!isAboutMail) {
      const isLater = LATER.includes(Number(responseCode));
      const answer = isLater && response !== undefined ? this.#withoutSecrets(response) : null;
      const word = isLater ? `status ${responseCode}` : (ERRORS[code] ?? code);
      return { outcome: 'unavailable', error: word, answer, isConnected: false };
    }
    const isFinal = responseCode === 0 || (error.permanent === true && responseCode !== LOGIN_REQUIRED);
    return {
      outcome: isFinal ? 'refused' : 'unavailable',
      error: responseCode === 0 ? 'address not accepted' : `status ${responseCode}`,
      answer: response === undefined ? null : this.#withoutSecrets(response),
      isConnected: true,
    };
  }

  #withoutSecrets(text: string): string {
    const { login } = this.#settings;
    const secrets = login === null ? [] : [login.password, login.user, `\0${login.user}\0${login.password}`];
    // A server may repeat a login in the form in which it was sent.
    const forms = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
    const clean = forms.reduce((left, secret) => left.replaceAll(secret, '***'), text);
    return oneLine(clean).slice(0, LONGEST_ANSWER);
  }
}

/** An error of nodemailer. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly response?: string;
  readonly responseCode?: number | false;
  readonly permanent?: boolean;
}

/** A creator's name stands beside that of the operator, so that nobody borrows the operator's address for another. */
function nameOfSender({ fromName, isOfCreator }: MailText, { name, address }: SmtpSettings['from']): string {
  if (fromName === null) return name ?? '';
  return isOfCreator ? `${fromName} via ${name ?? address.split('@')[1]}` : fromName;
}
