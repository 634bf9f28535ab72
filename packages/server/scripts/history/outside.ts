/**
 * The world outside of the shop: a mail server that delivers nothing, and a service that receives events. Both listen
 * on this machine alone.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { listen } from '../../test/support/listen.ts';
import { MailServer, type ReceivedMail } from '../../test/support/mail-server.ts';

const ADDRESS = '127.0.0.1';
/** Requests with events that the newsletter refuses before it works. */
const NEWSLETTER_OUTAGES = 3;
/** The numbers in the addresses of customers whose mailboxes are full: one of forty. */
const FULL_MAILBOX = { of: 40, number: 7 };

export class Outside {
  /** The port at which events arrive; a destination stores it. */
  readonly eventPort: number;
  /** Receives each e-mail that arrives. */
  onMail: (mail: ReceivedMail) => void = () => {};
  readonly #mails: MailServer;
  readonly #events: Server;

  private constructor(mails: MailServer, events: Server, eventPort: number) {
    this.#mails = mails;
    this.#events = events;
    this.eventPort = eventPort;
    mails.reactToRecipient = (address) =>
      isFull(address) ? { status: 552, words: '5.2.2 The mailbox is full' } : 'accept';
    mails.reactToMail = (mail) => {
      this.onMail(mail);
      return 'accept';
    };
  }

  /**
   * @param eventPort the port at which events arrive, if a destination stores it already; 0 for any. While another
   *   program uses it, events find nobody, which the console shows
   */
  static async open(eventPort = 0): Promise<Outside> {
    let outages = NEWSLETTER_OUTAGES;
    const events = createServer((request, response) => {
      request.resume();
      const isOut = request.url === '/newsletter' && outages-- > 0;
      request.on('end', () => response.writeHead(isOut ? 503 : 204).end());
    });
    const port = await listen(events, ADDRESS, eventPort).catch(() => eventPort);
    return new Outside(await MailServer.start(), events, port);
  }

  /** Addresses for destinations: one accepts every event, one is out of order at first. */
  get receivers(): { readonly bookkeeping: string; readonly newsletter: string } {
    const at = (path: string) => `http://${ADDRESS}:${this.eventPort}/${path}`;
    return { bookkeeping: at('bookkeeping'), newsletter: at('newsletter') };
  }

  /** Settings with which a service reaches it. */
  get environment(): Readonly<Record<string, string>> {
    return {
      ...this.#mails.environment,
      LATCHKEY_MAIL_FROM: 'Plugin Harbour <licenses@plugin-harbour.example>',
      LATCHKEY_MAIL_STOREFRONT: 'on',
      LATCHKEY_DELIVERY_NETWORKS: `${ADDRESS}/32`,
    };
  }

  async close(): Promise<void> {
    await this.#mails.close();
    if (!this.#events.listening) return;
    this.#events.closeAllConnections();
    this.#events.close();
    await once(this.#events, 'close');
  }
}

function isFull(address: string): boolean {
  const [, number] = /\.(\d+)@/.exec(address) ?? [];
  return number !== undefined && Number(number) % FULL_MAILBOX.of === FULL_MAILBOX.number;
}
