/** A refused form at /my writes nothing to the database, so a stranger who is refused fills no disk. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Database } from '../../../src/storage/contract/database.ts';
import { startBehindProxy } from '../../support/behind-proxy.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { rowOf } from '../../support/own-connection.ts';
import { OWN_FORM } from './customer-browser.ts';
import { SELF_SERVICE } from './shop.ts';

const REFUSED = 40;

/** The numbers of rows that forms write, and on SQLite the bytes of the file and of its log. */
async function storedIn(database: Database): Promise<unknown> {
  const rows = await rowOf(
    database,
    `select (select count(*) from rate) as rates, (select count(*) from customer_sign_in) as requests,
       (select count(*) from mail) as mails, (select sum(length(counts)) from rate) as counted`,
  );
  if (database.engine !== 'sqlite') return rows;
  return { ...rows, bytes: ['', '-wal'].map((end) => statSync(`${database.file}${end}`).size) };
}

for (const engine of engines)
  describe(`refused forms at /my on ${engine}`, () => {
    it('write nothing, whatever the reason of the refusal is', async (test) => {
      const database = await freshDatabase(engine);
      const app = await startBehindProxy(engine, SELF_SERVICE, database);
      test.after(async () => {
        await app.stop();
        await database.remove();
      });
      const send = async (path: string, fields: Readonly<Record<string, string>>, headers: object = OWN_FORM) => {
        const { status } = await fetch(`http://127.0.0.1:${app.port}${path}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' },
          body: String(new URLSearchParams(fields)),
        });
        return status;
      };
      let status = 303;
      for (let at = 0; status === 303; at += 1) status = await send('/my', { email: `ada-${at}@example.com` });
      assert.equal(status, 429);
      const reasons: readonly (readonly [number, () => Promise<number>])[] = [
        [429, () => send('/my', { email: 'ada@example.com' })],
        [400, () => send('/my', { email: 'nobody' })],
        [403, () => send('/my', { email: 'ada@example.com' }, { ...OWN_FORM, 'sec-fetch-site': 'cross-site' })],
        [415, () => send('/my', {}, { ...OWN_FORM, 'content-type': 'text/plain' })],
        [400, () => send('/my/code', { code: 'ABCD-EFGH' })],
        [404, () => send('/my/nothing', {})],
      ];
      for (const [expected, call] of reasons) {
        await call();
        const before = await storedIn(app.database);
        for (let at = 0; at < REFUSED; at += 1) assert.equal(await call(), expected);
        assert.deepEqual(await storedIn(app.database), before, `${expected}`);
      }
    });
  });
