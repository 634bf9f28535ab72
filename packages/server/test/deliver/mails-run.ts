/**
 * E-mails to many customers through a mail server that takes few a second and refuses some for a while: whether each
 * arrives once, and whether other calls are answered meanwhile.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/ground/base/clock.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Engine } from '../support/databases.ts';
import { MailServer } from '../support/mail-server.ts';

export interface MailLoad {
  readonly mails: number;
  /** E-mails that the server takes in a second. */
  readonly perSecond: number;
}

export interface MailsSent {
  /** Lost and repeated e-mails, and calls that were not answered. */
  readonly errors: readonly string[];
  readonly perSecond: number;
  /** The longest answers to /verify and to a list of support while e-mails waited, in milliseconds. */
  readonly slowest: { readonly verify: number; readonly list: number };
  /** E-mails that the server refused at first. */
  readonly refused: number;
}

/** Calls at once that queue e-mails. */
const QUEUEING = 8;
/** One of so many e-mails is refused at first. */
const REFUSED_OF = 50;
const BOUNDS = { mailSender: { lookMs: 100, unreachedMs: 0, restMs: 100 } };

/** Writes to as many customers, half of them by key and half by a reply. */
export async function writeToAll(engine: Engine, { mails, perSecond }: MailLoad): Promise<MailsSent> {
  const server = await MailServer.start();
  const refused = paced(server, perSecond);
  const app = await startApp(engine, { ...server.environment, LATCHKEY_MAIL_RATE: '1000000' }, undefined, BOUNDS);
  try {
    const licenses: string[] = [];
    await atOnce(mails, async (number) => {
      licenses[number] = await app.license({ email: `customer-${number}@shop.example` });
    });
    const errors: string[] = [];
    // The first list starts the thread that reads.
    await app.admin('/listMails', {});
    const begun = performance.now();
    let isDrained = false;
    const asking = askMeanwhile(app, licenses[0]!, () => isDrained, errors);
    await atOnce(mails, async (number) => {
      const licenseKey = licenses[number]!;
      const reply = { licenseKey, subject: `News ${number}`, text: `Hello, customer ${number}.` };
      const { status } = await (number % 2 === 0
        ? app.admin('/mailLicense', { licenseKey })
        : app.admin('/sendReply', reply));
      if (status !== 200) errors.push(`e-mail ${number} was answered ${status}`);
    });
    while (server.received.length + refused.size < mails) await wait(50);
    const spanMs = performance.now() - begun;
    // Those that were refused at first are due a minute later.
    while (server.received.length < mails) {
      app.clock.move(MINUTE_MS);
      await wait(200);
    }
    isDrained = true;
    const slowest = await asking;
    await app.stop();
    const times = new Map<string, number>();
    for (const { to } of server.received) times.set(to[0] ?? '', (times.get(to[0] ?? '') ?? 0) + 1);
    for (let number = 0; number < mails; number += 1) {
      const count = times.get(`customer-${number}@shop.example`) ?? 0;
      if (count !== 1) errors.push(`customer ${number} got ${count} e-mails`);
    }
    return { errors, perSecond: ((mails - refused.size) / spanMs) * 1000, slowest, refused: refused.size };
  } finally {
    await app.stop().catch(() => {});
    await server.close();
  }
}

/** Lets a server take so many e-mails a second; returns the ids of those that it refuses at first. */
function paced(server: MailServer, perSecond: number): ReadonlySet<string> {
  const refused = new Set<string>();
  let [taken, freeAt] = [0, performance.now()];
  server.reactToMail = async ({ mail: { messageId = '' } }) => {
    const now = performance.now();
    freeAt = Math.max(freeAt, now) + 1000 / perSecond;
    await wait(freeAt - now);
    taken += 1;
    if (taken % REFUSED_OF !== 0 || refused.has(messageId)) return 'accept';
    refused.add(messageId);
    return { status: 451, words: '4.3.0 too many, later please' };
  };
  return refused;
}

/** Runs tasks for the numbers from 0, a few at once. */
async function atOnce(count: number, task: (number: number) => Promise<void>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const worker = async () => {
    for (const number of numbers) await task(number);
  };
  await Promise.all(Array.from({ length: QUEUEING }, worker));
}

async function askMeanwhile(app: TestApp, licenseKey: string, isDone: () => boolean, errors: string[]) {
  const slowest = { verify: 0, list: 0 };
  while (!isDone()) {
    for (const [name, ask] of [
      ['verify', () => app.send('/verify', { licenseKey, productId: 'app' })],
      ['list', () => app.admin('/listMails', { state: 'waiting', limit: 50 })],
    ] as const) {
      const asked = performance.now();
      const { status } = await ask();
      slowest[name] = Math.max(slowest[name], performance.now() - asked);
      if (status !== 200) errors.push(`a call (${name}) was answered ${status}`);
    }
    await wait(20);
  }
  return slowest;
}
