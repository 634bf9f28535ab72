/** A license for one computer that is used on "Old laptop" and was refused on "New laptop". */
import assert from 'node:assert/strict';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import type { TestApp } from '../../support/app.ts';
import { CustomerBrowser } from './customer-browser.ts';

/** The address under which customers reach the service of these tests, which no request needs. */
export const PUBLIC_URL = 'https://licenses.example.com';

/** The settings of a service with self-service. */
export const SELF_SERVICE = {
  LATCHKEY_SELF_SERVICE: 'on',
  LATCHKEY_PUBLIC_URL: PUBLIC_URL,
  // Required on PostgreSQL.
  LATCHKEY_SECRETS_KEY: 'a key that every node of the tests has',
};

/** Mail settings with which every e-mail stays in the outbox: nothing listens there. */
export const MAIL = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9', LATCHKEY_MAIL_FROM: 'licenses@example.com' };

/** A customer who moves to another computer. */
export interface Mover {
  readonly email: string;
  readonly licenseKey: string;
  /** Whether the old computer still has the license. */
  isOnOldLaptop(): Promise<boolean>;
}

let movers = 0;

/** Makes a customer. The old computer has had the license for more than an hour. */
export async function makeMover(
  app: TestApp,
  names: { readonly old?: string; readonly new?: string; readonly productId?: string } = {},
): Promise<Mover> {
  movers += 1;
  const email = `mover-${movers}@example.com`;
  const { productId = 'app' } = names;
  const licenseKey = await app.license({ email, productId, maxMachines: 1 });
  const activate = (machineFingerprint: string, hostname: string) =>
    app.send('/activate', { licenseKey, productId, machineFingerprint, hostname });
  const { status, body } = await activate('f1', names.old ?? 'Old laptop');
  assert.equal(status, 200, JSON.stringify(body));
  app.clock.move(HOUR_MS + 1);
  assert.equal((await activate('f2', names.new ?? 'New laptop')).status, 403);
  const validate = () => app.send('/validate', { licenseKey, machineFingerprint: 'f1', token: body.token });
  return { email, licenseKey, isOnOldLaptop: async () => (await validate()).status === 200 };
}

/** A link that support makes. */
export async function linkFor(app: TestApp, { email }: Pick<Mover, 'email'>): Promise<string> {
  const { status, body } = await app.admin('/createCustomerLink', { email });
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(body.url.startsWith(`${PUBLIC_URL}/my/enter?c=`), body.url);
  return body.url;
}

/** A browser that such a link has signed in, with the page of the licenses and the page of the newest one. */
export async function signInByLink(app: TestApp, customer: Pick<Mover, 'email'>) {
  const browser = new CustomerBrowser(app);
  const licenses = await browser.submit(await browser.open(await linkFor(app, customer)), '/my/enter');
  return { browser, licenses, license: await browser.follow(licenses, '/my/license') };
}
