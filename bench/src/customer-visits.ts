/**
 * The process of the customers of customers.ts. They use the pages as a browser does: cookies, forms, redirects, and a
 * code that a real SMTP server receives.
 */
import { CustomerBrowser, linksOf } from '../../packages/server/test/customers/self-service/customer-browser.ts';
import { MailServer } from '../../packages/server/test/support/mail-server.ts';
import { type Send, senderTo } from './browser-requests.ts';
import type { Address } from './connection.ts';
import type { SideLoadReport } from './messages.ts';
import { carryOutLoad, timed } from './side-load-work.ts';
import { visitsBetween } from './visit-schedule.ts';

/** Customers who sign in at once before the first window. */
const SIGN_INS_AT_ONCE = 8;
/**
 * Pages that each of them opens then. A service with 50 customers opens as many in three minutes, and from then on runs
 * compiled code; the windows of an endpoint have 80.
 */
const FIRST_PAGES = 20;
const MAIL_TIMEOUT_MS = 30_000;

/** Ends the wait for a code by the address that it was mailed to. */
const awaitedCodes = new Map<string, (code: string) => void>();
const customers: Customer[] = [];
let emails: readonly string[] = [];
let signInsBegun = 0;

/** A customer with a browser and a network of its own. */
class Customer {
  readonly #send: Send;
  #browser: CustomerBrowser;
  /** The page that is opened next. */
  #next = '/my/licenses';
  #last: Promise<unknown> = Promise.resolve();

  constructor(number: number, address: Address) {
    this.#send = senderTo(address, `127.1.${Math.floor(number / 250)}.${1 + (number % 250)}`);
    this.#browser = new CustomerBrowser({ send: this.#send });
  }

  /** Does one thing after the other, as a person does. */
  does(visit: () => Promise<void>): Promise<void> {
    const visited = this.#last.then(visit);
    this.#last = visited.catch(() => {});
    return visited;
  }

  /** Opens the list of licenses and one of them in turns. */
  async openPage(): Promise<void> {
    const page = await timed('page', () => this.#browser.open(this.#next));
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
  }
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

async function listen(): Promise<SideLoadReport> {
  const mails = await MailServer.start();
  mails.reactToMail = ({ to: [email = ''], mail }) => {
    mails.received.length = 0;
    const [code = ''] = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(mail.text ?? '') ?? [];
    awaitedCodes.get(email)?.(code);
    return 'accept';
  };
  return { kind: 'listening', mailPort: mails.port };
}

/** Signs all customers in, some at a time, and lets them open their first pages. */
async function signInAll(): Promise<SideLoadReport> {
  const waiting = [...customers];
  const work = async () => {
    for (let customer = waiting.pop(); customer !== undefined; customer = waiting.pop()) {
      await customer.signIn(nextEmail());
      for (let page = 0; page < FIRST_PAGES; page += 1) await customer.openPage();
    }
  };
  await Promise.all(Array.from({ length: SIGN_INS_AT_ONCE }, work));
  return { kind: 'ready' };
}

function nextEmail(): string {
  signInsBegun += 1;
  return emails[signInsBegun % emails.length]!;
}

carryOutLoad({
  async prepare(order) {
    if (order.kind === 'listen') return listen();
    if (order.kind !== 'signIn') throw new Error(`customers cannot ${order.kind}`);
    const { addresses } = order;
    emails = order.emails;
    for (let number = 0; number < order.customers; number += 1)
      customers.push(new Customer(number, addresses[number % addresses.length]!));
    return signInAll();
  },
  beginDue: (fromMs, toMs) =>
    visitsBetween(customers.length, fromMs, toMs).map(({ customer: number, kind }) => {
      const customer = customers[number]!;
      return customer.does(() =>
        kind === 'page' ? customer.openPage() : timed('signIn', () => customer.signIn(nextEmail())),
      );
    }),
});
