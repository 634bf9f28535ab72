import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EVENT_TYPES } from '../../commerce/storefront/event.ts';
import { mintId } from '../../ground/base/random.ts';
import type { Config } from '../../runtime/config/config.ts';
import { CERTIFICATE_FILE } from '../../runtime/config/data-directory.ts';
import { findWebhookSecret } from '../../runtime/config/secrets.ts';
import { clientUrlOf } from '../../runtime/service/greeting.ts';
import type { Command } from './command.ts';

const ANSWER_WITHIN_MS = 30_000;

export const sendTestEvent: Command = {
  name: 'send-test-event',
  summary: 'send a storefront event to the running service, which acts on it, and show the answer',
  positionals: ['TYPE'],
  options: {
    product: { meaning: 'the productId', value: 'PRODUCT', isRequired: true },
    email: { meaning: 'the buyer; test@example.com unless given', value: 'ADDRESS' },
    purchase: { meaning: 'the purchaseId; a new one for purchase.completed unless given', value: 'ID' },
    event: { meaning: 'the eventId; a new one unless given', value: 'ID' },
    variant: { meaning: 'the variant', value: 'NAME' },
    days: { meaning: 'durationDays', value: 'DAYS' },
    amount: { meaning: "in the currency's smallest unit", value: 'AMOUNT' },
    currency: { meaning: 'the ISO 4217 code', value: 'CODE' },
    partial: { meaning: 'only a part was refunded' },
    url: { meaning: 'the address of the service, unless it runs here with its own certificate', value: 'URL' },
  },
  example: 'send-test-event purchase.completed --product tapehead --purchase order-1001 --days 365',
  isOnDatabase: false,
  more: [`TYPE is ${EVENT_TYPES.join(', ')}.`, 'docs/shops/storefront.md explains each of them.'],
  async run({ config, positionals: [type = ''], options, print }) {
    const event = eventOf(type, options);
    const url = options.get('url');
    const secret = findWebhookSecret(config);
    if (secret === null)
      throw new Error(
        `The webhook secret is missing: set LATCHKEY_WEBHOOK_SECRET, or name the data directory of the service, which is not ${config.dataDirectory}.`,
      );
    print(`Sent: ${JSON.stringify(event)}`);
    const { status, body } = await send(url === undefined ? ownAddress(config) : { url }, secret, event);
    print(`Answer ${status}: ${body}`);
    if (status !== 200) throw new Error('The service refused the event.');
  },
};

/** The event that a command line asks for. Numbers that are none stay text, which the service refuses by name. */
function eventOf(type: string, options: ReadonlyMap<string, string>): object {
  const numberOf = (given: string | undefined) => {
    const number = Number(given);
    return Number.isNaN(number) ? given : number;
  };
  // JSON leaves undefined fields out.
  return {
    type,
    eventId: options.get('event') ?? `test-${mintId()}`,
    email: options.get('email') ?? 'test@example.com',
    productId: options.get('product'),
    variant: options.get('variant'),
    purchaseId: options.get('purchase') ?? (type === 'purchase.completed' ? `test-${mintId()}` : undefined),
    durationDays: numberOf(options.get('days')),
    amount: numberOf(options.get('amount')),
    currency: options.get('currency'),
    partial: options.has('partial') ? true : undefined,
  };
}

/** An address of a service, and the certificate to trust instead of the usual authorities. */
interface Address {
  readonly url: string;
  readonly certificate?: string;
}

/** The service of this configuration. @throws when clients reach it by a name that is not configured */
function ownAddress(config: Config): Address {
  if (config.trustedProxies !== null || config.tlsFiles !== null)
    throw new Error('Name the address that clients use: --url https://licenses.example.com.');
  const file = join(config.dataDirectory, CERTIFICATE_FILE);
  const url = clientUrlOf(config, config.port);
  return existsSync(file) ? { url, certificate: readFileSync(file, 'utf8') } : { url };
}

/** Sends an event. @throws when no service answers */
async function send({ url, certificate }: Address, secret: string, event: object) {
  try {
    const sent = request(new URL('/storefrontWebhook', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      agent: false,
      ...(certificate === undefined ? {} : { ca: certificate }),
    });
    sent.end(JSON.stringify(event));
    const [response] = await once(sent, 'response');
    return { status: response.statusCode as number, body: await text(response) };
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    throw new Error(`The service at ${url} cannot be reached (${code}). Start it, or name its address with --url.`, {
      cause: error,
    });
  }
}
