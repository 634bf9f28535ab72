/** Customers at the pages of a service, for measuring their cost to the calls of apps. */
import { mintSecret } from '@latchkey/server/ground/base/random.ts';
import type { Catalogue } from './catalogue.ts';
import type { Address } from './connection.ts';
import { emailsIn } from './customer-addresses.ts';
import { SideLoadProcess, type TimesOf } from './side-load.ts';
import type { Errors } from './window.ts';

/** The largest number of customers. */
export const MAX_CUSTOMERS = 1000;
/**
 * Addresses for each customer, who signs in with another one each time. An address gets three codes an hour, and a
 * customer signs in six times.
 */
const ADDRESSES_PER_CUSTOMER = 12;
/** Licenses that are certain to have that many addresses. */
export const LICENSES_PER_CUSTOMER = 20;

/** Visits of customers during the windows of their server, including the uncounted load before each window. */
export interface CustomerFigures {
  readonly pages: number;
  readonly signIns: number;
  /** Time from the request for a page to its last byte; null without a page. */
  readonly medianMs: number | null;
  readonly slowestMs: number | null;
  /** Pages other than the one that was asked for. */
  readonly errors: Errors;
}

/** Customers in a process of their own, which is also the mail server that gets their codes. */
export class Customers extends SideLoadProcess<CustomerFigures> {
  readonly #count: number;
  #environment: Readonly<Record<string, string>> = {};

  /** Starts the process; `running` stops it. */
  static async start(count: number, running: AsyncDisposableStack): Promise<Customers> {
    const customers = new Customers(count, running);
    const { mailPort } = await customers.child.ask({ kind: 'listen' }, 'listening');
    customers.#environment = {
      LATCHKEY_SELF_SERVICE: 'on',
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
      LATCHKEY_SECRETS_KEY: mintSecret(24),
      LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      LATCHKEY_MAIL_FROM: 'licenses@example.com',
      LATCHKEY_MAIL_RATE: 'off',
    };
    return customers;
  }

  private constructor(count: number, running: AsyncDisposableStack) {
    super('./customer-visits.ts', running);
    this.#count = count;
  }

  /** Settings with which Latchkey has the pages and mails codes. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** Signs every customer in at one of the nodes, with addresses of active licenses. */
  async signIn(addresses: readonly Address[], catalogue: Catalogue): Promise<void> {
    const emails = emailsIn(catalogue, this.#count * ADDRESSES_PER_CUSTOMER);
    await this.child.ask({ kind: 'signIn', customers: this.#count, addresses, emails }, 'ready');
  }

  protected override figuresOf(timesOf: TimesOf, errors: Errors): CustomerFigures {
    const pagesMs = timesOf('page');
    return {
      pages: pagesMs.length,
      signIns: timesOf('signIn').length,
      medianMs: pagesMs[Math.floor(pagesMs.length / 2)] ?? null,
      slowestMs: pagesMs.at(-1) ?? null,
      errors,
    };
  }
}
