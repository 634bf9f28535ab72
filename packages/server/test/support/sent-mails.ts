/**
 * A mail server whose e-mails a run checks. Every promised e-mail arrives once, and once more for each attempt that a
 * fault interrupted before it was marked as sent.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { MailBounds } from '../../src/customers/mail/sender.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { MailServer } from './mail-server.ts';
import { execute, rowsOf } from './own-connection.ts';

/** Bounds of the sender, so that e-mails leave at once. */
export const QUICK_MAILS: MailBounds = { lookMs: 50, unreachedMs: 50, restMs: 50 };

const LOOK_MS = 20;
/** Mails may take so long on a busy machine, and while a service waits for its database. */
const LONGEST_SILENCE_MS = 90_000;
/** An attempt takes milliseconds. One that takes so long is not known to its node, whose transaction broke. */
const LONGEST_ATTEMPT_MS = 3_000;
/** The job that sends e-mails; the lease of a killed node would last for 40 seconds. */
const FREE_LEASE = "delete from job_lease where job = 'send mail'";

interface MailRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
}

/** The e-mails that arrived. */
export interface MailReport {
  /** E-mails that the service promised. */
  readonly mails: number;
  /** E-mails that arrived more than once. */
  readonly repeated: number;
}

/** See the head of this file. */
export class SentMails {
  readonly #server: MailServer;
  readonly #promised = new Set<string>();
  /** The attempts of an e-mail that faults found begun and not marked. */
  readonly #met = new Map<string, Set<number>>();
  #isOutboxEmptied = false;

  private constructor(server: MailServer) {
    this.#server = server;
  }

  static async start(): Promise<SentMails> {
    return new SentMails(await MailServer.start());
  }

  /** Additional configuration of the service. */
  get environment(): Readonly<Record<string, string>> {
    return { ...this.#server.environment, LATCHKEY_MAIL_RATE: 'off' };
  }

  /** Notes an e-mail that the service has promised. A property, so that it can be passed on. */
  readonly promised = (mailId: string): void => {
    this.#promised.add(mailId);
  };

  /** Notes the e-mails that are begun and not marked, right after a fault: they may arrive once more. */
  async noteFault(database: Database): Promise<void> {
    for (const { id, attempts } of (await mailsIn(database)).filter(isUnmarked))
      this.#met.set(id, (this.#met.get(id) ?? new Set()).add(attempts));
  }

  /** Notes that a restore has emptied the outbox: mails without a row need not arrive. */
  noteRestore(): void {
    this.#isOutboxEmptied = true;
  }

  /** Has every e-mail sent that waits, while no other one is queued and the service is well, and compares. */
  async check(database: Database): Promise<MailReport> {
    await execute(database, FREE_LEASE);
    await this.noteFault(database);
    // By a clock that was ahead an e-mail may be due only later.
    await this.#makeDue(database, 'attempts = 0');
    const isOver = ({ id, state, attempts }: MailRow) =>
      state !== 'waiting' || this.#met.get(id)?.has(attempts) === true;
    await this.#rowsBut(isOver, database, LONGEST_ATTEMPT_MS);
    await this.noteFault(database);
    const met = ['', ...this.#met.keys()].map((id) => `'${id}'`).join(', ');
    await this.#makeDue(database, `mail_id in (${met})`);
    const waiting = await this.#rowsBut(({ state }) => state !== 'waiting', database, LONGEST_SILENCE_MS);
    assert.deepEqual(waiting, [], 'mails that are not sent');
    const arrived = Map.groupBy(
      this.#server.received,
      ({ mail }) => /^<([^@]*)@/.exec(mail.messageId ?? '')?.[1] ?? '',
    );
    const rows = new Map((await mailsIn(database)).map((row) => [row.id, row]));
    const wrong = [...this.#promised].flatMap((id) => {
      const row = rows.get(id);
      const times = arrived.get(id)?.length ?? 0;
      const most = 1 + (this.#met.get(id)?.size ?? 0);
      const isThere = row === undefined ? this.#isOutboxEmptied : row.state === 'sent' && times > 0;
      return isThere && times <= most ? [] : [{ id, times, most, row: row ?? null }];
    });
    assert.deepEqual(wrong, [], 'mails that were lost, failed, or arrived too often');
    const strange = [...arrived.keys()].filter((id) => !this.#promised.has(id));
    if (!this.#isOutboxEmptied) assert.deepEqual(strange, [], 'mails that nobody was promised');
    const repeated = [...arrived.values()].filter(({ length }) => length > 1).length;
    return { mails: this.#promised.size, repeated };
  }

  stop(): Promise<void> {
    return this.#server.close();
  }

  #makeDue(database: Database, condition: string): Promise<void> {
    const due = "update mail set due_at = '2000-01-01T00:00:00.000Z'";
    return execute(database, `${due} where state = 'waiting' and ${condition}`);
  }

  /** Waits until there are no other rows, or until these have not changed for so long; resolves with them. */
  async #rowsBut(
    isOver: (row: MailRow) => boolean,
    database: Database,
    unchangedMs: number,
  ): Promise<readonly MailRow[]> {
    let seen = '';
    let changedAt = performance.now();
    for (;;) {
      const others = (await mailsIn(database)).filter((row) => !isOver(row));
      const text = JSON.stringify(others);
      if (text !== seen) changedAt = performance.now();
      seen = text;
      if (others.length === 0 || performance.now() - changedAt > unchangedMs) return others;
      await wait(LOOK_MS);
    }
  }
}

function isUnmarked({ state, attempts }: MailRow): boolean {
  return state === 'waiting' && attempts > 0;
}

function mailsIn(database: Database): Promise<readonly MailRow[]> {
  return rowsOf<MailRow>(database, 'select mail_id as id, state, attempts from mail');
}
