/**
 * The customers of customers.ts, a separate process so that their CPU time does not count for the measured servers.
 * They use the pages as a browser does: cookies, forms, redirects, and a code that a real SMTP server receives.
 */
import { Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import { CustomerBrowser, linksOf } from '../../packages/server/test/self-service/customer-browser.ts';
import { MailServer } from '../../packages/server/test/support/mail-server.ts';
import type { Address } from './connection.ts';
import type { CustomersOrder, CustomersReport } from './messages.ts';
import { visitsBetween } from './visit-schedule.ts';

type Send = ConstructorParameters<typeof CustomerBrowser>[0]['send'];

const TICK_MS = 20;
/** Customers who sign in at once before the first window. */
const SIGN_INS_AT_ONCE = 8;
const MAIL_TIMEOUT_MS = 30_000;

/** Ends the wait for a code by the address that it was mailed to. */
const awaitedCodes = new Map<string, (code: string) => void>();
const customers: Customer[] = [];
let emails: readonly string[] = [];
let signInsBegun = 0;

/** Time in which the server of the customers was measured. */
let elapsedMs = 0;
let ticking: NodeJS.Timeout | undefined;
let underWay: Promise<void>[] = [];
let pagesMs: number[] = [];
let signIns = 0;
let errors: string[] = [];

/** A customer with a browser and a network of its own. */
class Customer {
  readonly #send: Send;
  #browser: CustomerBrowser;
  /** The page that is opened next. */
  #next = '/my/licenses';
  #last: Promise<void> = Promise.resolve();

  constructor(number: number, address: Address) {
    this.#send = senderTo(address, `127.1.${Math.floor(number / 250)}.${1 + (number % 250)}`);
    this.#browser = new CustomerBrowser({ send: this.#send });
  }

  /** Does one thing after the other, as a person does. */
  does(visit: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(visit);
    return this.#last;
  }

  /** Opens the list of licenses and one of them in turns. */
  async openPage(): Promise<void> {
    const beganMs = performance.now();
    const page = await this.#browser.open(this.#next);
    pagesMs.push(performance.now() - beganMs);
    if (page.status !== 200 || page.path !== this.#next)
      throw new Error(`${this.#next} was answered ${page.status} by ${page.path}`);
    const license = linksOf(page).find((link) => link.startsWith('/my/license?'));
    this.#next = page.path === '/my/licenses' && license !== undefined ? license : '/my/licenses';
  }

  /** Signs in with a code, in a browser that knows nothing of an earlier session. */
  async signIn(email: string): Promise<void> {
    const browser = new CustomerBrowser({ send: this.#send });
    const codeArrives = codeFor(email);
    // A request that fails first is the error to report.
    codeArrives.catch(() => {});
    const codePage = await browser.submit(await browser.open('/my'), '/my', { email });
    const page = await browser.submit(codePage, '/my/code', { code: await codeArrives });
    if (page.path !== '/my/licenses') throw new Error(`a sign-in led to ${page.path}`);
    this.#browser = browser;
    this.#next = '/my/licenses';
    signIns += 1;
  }
}

/**
 * Sends requests from a network of the customer, because limits count by network: on HTTPS from an address of this
 * machine, which Linux needs no setting for; on plain HTTP as a proxy reports it.
 */
function senderTo({ port, certificate }: Address, network: string): Send {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': network };
  const plain = new PlainAgent({ keepAlive: true });
  const tls =
    certificate === null
      ? null
      : new TlsAgent({ keepAlive: true, ca: certificate, servername: 'localhost', localAddress: network });
  return (path, body, { method = 'POST', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? '' : String(body);
      const options = {
        ...{ host: '127.0.0.1', port, path, method },
        headers: { ...forwarded, ...headers, ...(sent === '' ? {} : { 'content-length': Buffer.byteLength(sent) }) },
      };
      const request =
        tls === null ? requestPlain({ ...options, agent: plain }) : requestTls({ ...options, agent: tls });
      request.on('error', reject);
      request.on('response', (response) => {
        text(response).then(
          (answered) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered }),
          reject,
        );
      });
      request.end(sent);
    });
}

/** Resolves with the next code that is mailed to an address. */
function codeFor(email: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Error('no code arrived by mail')), MAIL_TIMEOUT_MS);
  awaitedCodes.set(email, resolve);
  return promise.finally(() => {
    clearTimeout(late);
    awaitedCodes.delete(email);
  });
}

async function listen(): Promise<CustomersReport> {
  const mails = await MailServer.start();
  mails.reactToMail = ({ to: [email = ''], mail }) => {
    mails.received.length = 0;
    const [code = ''] = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(mail.text ?? '') ?? [];
    awaitedCodes.get(email)?.(code);
    return 'accept';
  };
  return { kind: 'listening', mailPort: mails.port };
}

/** Signs all customers in, some at a time. */
async function signInAll(): Promise<void> {
  const waiting = [...customers];
  const work = async () => {
    for (let customer = waiting.pop(); customer !== undefined; customer = waiting.pop())
      await customer.signIn(nextEmail());
  };
  await Promise.all(Array.from({ length: SIGN_INS_AT_ONCE }, work));
  signIns = 0;
}

function nextEmail(): string {
  signInsBegun += 1;
  return emails[signInsBegun % emails.length]!;
}

function begin(): void {
  let lastMs = performance.now();
  ticking = setInterval(() => {
    const nowMs = performance.now();
    const untilMs = elapsedMs + nowMs - lastMs;
    for (const { customer: number, kind } of visitsBetween(customers.length, elapsedMs, untilMs)) {
      const customer = customers[number]!;
      const visit = kind === 'page' ? () => customer.openPage() : () => customer.signIn(nextEmail());
      underWay.push(customer.does(() => visit().catch((error: Error) => void errors.push(error.message))));
    }
    [elapsedMs, lastMs] = [untilMs, nowMs];
  }, TICK_MS);
}

/** Waits for the visits under way, so that none falls into a window of another server. */
async function end(): Promise<CustomersReport> {
  clearInterval(ticking);
  await Promise.all(underWay);
  const report: CustomersReport = { kind: 'ended', pagesMs, signIns, errors };
  [underWay, pagesMs, signIns, errors] = [[], [], 0, []];
  return report;
}

async function carryOut(order: CustomersOrder): Promise<CustomersReport> {
  if (order.kind === 'listen') return listen();
  if (order.kind === 'end') return end();
  if (order.kind === 'begin') {
    begin();
    return { kind: 'began' };
  }
  const { addresses } = order;
  emails = order.emails;
  for (let number = 0; number < order.customers; number += 1)
    customers.push(new Customer(number, addresses[number % addresses.length]!));
  await signInAll();
  return { kind: 'signedIn' };
}

function report(message: CustomersReport): void {
  process.send?.(message);
}

process.on('message', async (order: CustomersOrder) => {
  try {
    report(await carryOut(order));
  } catch (error) {
    report({ kind: 'failed', reason: (error as Error).message });
  }
});
process.on('disconnect', () => process.exit());
