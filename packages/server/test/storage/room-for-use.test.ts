/**
 * On PostgreSQL the new version of a license fits beside the old one: otherwise every index of licenses would change.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appFor } from '../support/for-test.ts';
import { execute, rowOf } from '../support/own-connection.ts';

/** They are made first, so that they are on the first page, which has room for the new versions of this many. */
const CHANGED_TOGETHER = 8;

it('licenses of one page that are changed in one transaction, as activations change them, stay on it', async (test) => {
  const app = await appFor(test, 'postgres');
  const keys: string[] = [];
  for (let number = 0; number < 40; number++) keys.push(await app.license({ email: `customer${number}@example.com` }));
  const together = keys
    .slice(0, CHANGED_TOGETHER)
    .map((key) => `'${key}'`)
    .join(', ');
  const pages = () =>
    rowOf(
      app.database,
      `select min(split_part(ctid::text, ',', 1)) as "first", max(split_part(ctid::text, ',', 1)) as "last"
       from license where license_key in (${together})`,
    );
  assert.deepEqual(await pages(), { first: '(0', last: '(0' });
  await execute(
    app.database,
    `update license set machines_used = 1, attempts = '[1795306645903]', event_count = event_count + 1
     where license_key in (${together})`,
  );
  assert.deepEqual(await pages(), { first: '(0', last: '(0' });
});
