/** A real SMTP server, and the e-mails that came over the wire. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An e-mail as it arrived. */
export interface ReceivedMail {
  /** The envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | null;
  /** As sent. */
  readonly raw: string;
  /** As mail programs read it. */
  readonly mail: Email;
}

/**
 * The server's treatment of an e-mail: accept, refuse with a status, stay silent, or accept and close the connection.
 */
export type Reaction =
  | 'accept'
  | 'hang'
  | 'close after accepting'
  | { readonly status: number; readonly words: string };

export interface MailServerOptions {
  /** TLS from the first byte, STARTTLS, or neither. */
  readonly tls?: 'always' | 'offered' | 'none';
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly login?: { readonly user: string; readonly password: string };
  readonly port?: number;
}

export class MailServer {
  readonly port: number;
  readonly received: ReceivedMail[] = [];
  /** Recipients that were named and refused. */
  reactToRecipient: (address: string) => Reaction = () => 'accept';
  /** Called when an e-mail has arrived whole, before it is answered. */
  reactToMail: (mail: ReceivedMail) => Reaction | Promise<Reaction> = () => 'accept';
  readonly #server: SMTPServer;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(server: SMTPServer, listening: Server) {
    this.#server = server;
    this.port = (listening.address() as AddressInfo).port;
  }

  static async start({ tls = 'none', certificate, login, port = 0 }: MailServerOptions = {}): Promise<MailServer> {
    const server: SMTPServer = new SMTPServer({
      ...(certificate ?? {}),
      secure: tls === 'always',
      hideSTARTTLS: tls !== 'offered',
      disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
      allowInsecureAuth: true,
      authOptional: login === undefined,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 1,
      onAuth({ username, password }, _session, callback) {
        if (username === login?.user && password === login?.password) callback(null, { user: username });
        else callback(Object.assign(new Error(`5.7.8 ${username} ${password} is wrong`), { responseCode: 535 }));
      },
      onRcptTo({ address }, _session, callback) {
        const reaction = started.reactToRecipient(address);
        if (typeof reaction === 'object') callback(failure(reaction));
        else callback();
      },
      onData(stream, session, callback) {
        void (async () => {
          // A sender that is killed within an e-mail has sent none.
          const raw = await text(stream).catch(() => null);
          if (raw === null) return;
          const { mailFrom, rcptTo } = session.envelope;
          const mail: ReceivedMail = {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
            user: typeof session.user === 'string' ? session.user : null,
            raw,
            mail: await PostalMime.parse(raw),
          };
          const reaction = await started.reactToMail(mail);
          if (typeof reaction === 'object') return callback(failure(reaction));
          started.#take(mail);
          if (reaction === 'hang') return;
          callback(null, '2.0.0 queued');
          if (reaction === 'close after accepting') setImmediate(() => started.#closeConnections());
        })();
      },
    });
    server.on('error', () => {});
    const listening = server.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    const started = new MailServer(server, listening);
    return started;
  }

  /** The configuration of a service that sends by it without a login. */
  get environment(): Readonly<Record<string, string>> {
    return { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${this.port}`, LATCHKEY_MAIL_FROM: 'licenses@shop.example' };
  }

  /** Resolves with the e-mails as soon as `count` have arrived. */
  async hasReceived(count: number): Promise<readonly ReceivedMail[]> {
    if (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    return this.received;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(mail: ReceivedMail): void {
    this.received.push(mail);
    for (const { count, resolve } of this.#waiting) if (this.received.length >= count) resolve();
  }

  #closeConnections(): void {
    for (const connection of this.#server.connections) connection.close();
  }
}

function failure({ status, words }: { readonly status: number; readonly words: string }): Error {
  return Object.assign(new Error(words), { responseCode: status });
}
