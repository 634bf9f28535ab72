/** Customers at the pages of a service, for measuring their cost to the calls of apps. */
import { mintSecret } from '@latchkey/server/base/random.ts';
import { type Catalogue, RESELLER_EMAIL } from './catalogue.ts';
import { Child } from './child.ts';
import type { Comparison, SideLoad } from './comparison.ts';
import type { Address } from './connection.ts';
import type { CustomersOrder, CustomersReport } from './messages.ts';
import { ERRORS_TOLD, type Errors } from './window.ts';

/** The largest number of customers. */
export const MOST_CUSTOMERS = 1000;
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
export class Customers implements SideLoad {
  /** Settings with which Latchkey has the pages and mails codes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #child: Child<CustomersOrder, CustomersReport>;
  readonly #count: number;
  #pagesMs: number[] = [];
  #signIns = 0;
  #errors: string[] = [];

  /** Starts the process; `running` stops it. */
  static async start(count: number, running: AsyncDisposableStack): Promise<Customers> {
    const child = running.adopt(new Child<CustomersOrder, CustomersReport>('./customer-visits.ts'), (each) =>
      each.stop(),
    );
    const { mailPort } = await child.ask({ kind: 'listen' }, 'listening');
    return new Customers(count, child, mailPort);
  }

  private constructor(count: number, child: Child<CustomersOrder, CustomersReport>, mailPort: number) {
    this.#count = count;
    this.#child = child;
    this.environment = {
      LATCHKEY_SELF_SERVICE: 'on',
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
      LATCHKEY_SECRETS_KEY: mintSecret(24),
      LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      LATCHKEY_MAIL_FROM: 'licenses@example.com',
      LATCHKEY_MAIL_RATE: 'off',
    };
  }

  /** Signs every customer in at one of the nodes, with addresses of active licenses. */
  async signIn(addresses: readonly Address[], catalogue: Catalogue): Promise<void> {
    const emails = emailsIn(catalogue, this.#count * ADDRESSES_PER_CUSTOMER);
    await this.#child.ask({ kind: 'signIn', customers: this.#count, addresses, emails }, 'signedIn');
  }

  async begin(): Promise<void> {
    await this.#child.ask({ kind: 'begin' }, 'began');
  }

  async end(): Promise<void> {
    const { pagesMs, signIns, errors } = await this.#child.ask({ kind: 'end' }, 'ended');
    this.#pagesMs.push(...pagesMs);
    this.#signIns += signIns;
    this.#errors.push(...errors);
  }

  /** Returns the visits since the last call. */
  take(): CustomerFigures {
    const [sorted, signIns, errors] = [this.#pagesMs.toSorted((a, b) => a - b), this.#signIns, this.#errors];
    [this.#pagesMs, this.#signIns, this.#errors] = [[], 0, []];
    return {
      pages: sorted.length,
      signIns,
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? null,
      slowestMs: sorted.at(-1) ?? null,
      errors: { count: errors.length, reported: errors.slice(0, ERRORS_TOLD) },
    };
  }
}

/** A comparison with the customers who were there, and with their errors among its own. */
export function withCustomers(comparison: Comparison, customers: CustomerFigures): Comparison {
  const { errors } = comparison;
  const { count, reported } = customers.errors;
  return {
    ...comparison,
    customers,
    errors: { count: errors.count + count, reported: [...errors.reported, ...reported] },
  };
}

/**
 * Different addresses of active licenses from all parts of the catalogue: as many as wanted, or up to a tenth fewer.
 * The reseller is left out, because its list of licenses is not that of a customer.
 */
export function emailsIn(catalogue: Catalogue, wanted: number): string[] {
  const step = Math.max(1, Math.floor((catalogue.size - catalogue.firstActive) / wanted));
  const emails: string[] = [];
  for (let number = catalogue.firstActive; number < catalogue.size && emails.length < wanted; ) {
    const { email } = catalogue.license(number);
    if (email !== RESELLER_EMAIL) emails.push(email);
    number += email === RESELLER_EMAIL ? 1 : step;
  }
  return emails;
}
