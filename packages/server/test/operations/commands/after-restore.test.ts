/**
 * A restored backup lacks everything that happened since: sessions of that time are no longer signed in, and revoked
 * licenses, dropped keys and forgotten customers stay that way if the previous database is readable.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { deriveBindingKeys } from '../../../src/access/console/binding.ts';
import { makeSignInCode } from '../../../src/access/console/sign-in-code.ts';
import { copiedTables } from '../../../src/app.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { copyDatabase } from '../../../src/storage/copy/copy-database.ts';
import { withStorage } from '../../../src/storage/opening/open.ts';
import { orderSeats } from '../../commerce/studio-orders/orders.ts';
import { activatedBy, usersOf } from '../../licensing/users/using.ts';
import { allRows } from '../../support/all-rows.ts';
import { ADMIN_SECRET, type TestApp } from '../../support/app.ts';
import { type Ended, environmentOf, nameOf, runCommandHere } from '../../support/command.ts';
import { operatorKey, PAGE_HEADERS, signIn } from '../../support/console.ts';
import { mustSucceed } from '../../support/creator.ts';
import { duplicateDatabase, type Engine, engines } from '../../support/databases.ts';
import { freshFor, type Owner, served as servedWith } from '../../support/for-test.ts';
import { Machine } from '../../support/machine.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const QUIET = { stage() {}, rows() {}, compared() {}, goesOn() {} };
const EVE = 'eve@example.com';
/** A customer who has no license. */
const BUYER = 'head@school.example';
const OTHER_BUYER = 'dean@school.example';

const run = (database: Database, ...args: string[]): Promise<Ended> => runCommandHere(args, environmentOf(database));

/** Runs `work` with a service on a database, and stops the service. */
const served = <T>(database: Database, work: (app: TestApp) => Promise<T>): Promise<T> =>
  servedWith(database, work, {
    LATCHKEY_LOG_LEVEL: 'fatal',
    LATCHKEY_SELF_SERVICE: 'on',
    LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests',
  });

/** Carries revocations of the previous database over to a restored one. */
async function keepRevoked(restored: Database, previous: Database): Promise<Ended> {
  const ended = await run(restored, 'after-restore', '--keep-revoked-from', nameOf(previous));
  assert.equal(ended.code, 0, ended.err);
  return ended;
}

/** A copy of the present database, as a backup restored beside it would be. */
async function copyOf(test: Owner, database: Database): Promise<Database> {
  const copy = await freshFor(test, database.engine);
  if (copy.engine === 'sqlite') {
    rmSync(copy.file);
    assert.equal((await run(database, 'backup', copy.file)).code, 0);
  } else await copyDatabase(database, copy, copiedTables, systemClock, QUIET);
  return copy;
}

/** Leaves no event of the time of a backup in a database, and one that is later than any backup. */
async function keepOnlyLateEvent(database: Database): Promise<void> {
  await execute(database, "delete from event where type <> 'license.noted'");
  await execute(
    database,
    `insert into event (event_id, type, actor, occurred_at, before_facts, after_facts)
     values ('evt_ffffffff-ffff-7fff-8fff-ffffffffffff', 'license.updated', 'operator', '2999-01-01T00:00:00.000Z', 'null', 'null')`,
  );
}

/** Everything in a database except the progress of the copy that stands for a backup of PostgreSQL. */
const textOf = async (database: Database) => JSON.stringify(await allRows(database, ['database_copy']));

/** A shop on the day of its backup, the backup, and the shop some days later. */
async function makeShop(test: Owner, engine: Engine) {
  const madeAt = systemClock();
  const present = await freshFor(test, engine);
  const before = await served(present, async (app) => {
    const kept = await app.license();
    const revoked = await app.license();
    const extended = await app.license({ expiresAt: '2030-01-01T00:00:00.000Z' });
    const shortened = await app.license({ expiresAt: '2031-01-01T00:00:00.000Z' });
    const forgotten = await app.license({ email: EVE });
    const sold = await app.license({ email: 'mallory@example.com' });
    const machine = await new Machine(app, kept).activated();
    await new Machine(app, forgotten).activated();
    for (const buyerEmail of [BUYER, OTHER_BUYER]) await orderSeats(app, { buyerEmail });
    const apiKey = (await app.admin('/createApiKey', { name: 'shop', creatorId: 'ada' })).body.apiKey as string;
    assert.equal((await app.admin('/createCustomerLink', { licenseKey: kept })).status, 200);
    const supportKey = await operatorKey(app, 'support', 'Bea');
    const session = await signIn(app, { secret: supportKey, keep: true });
    const code = await withStorage(present, {}, (storage) =>
      storage.transaction((tx) => makeSignInCode(tx, app.clock.now(), deriveBindingKeys([ADMIN_SECRET]))),
    );
    const { token } = machine;
    const keys = { kept, revoked, extended, shortened, forgotten, sold };
    return { ...keys, token, apiKey, supportKey, cookie: session.cookie, code };
  });
  const backup = await copyOf(test, present);
  const later = await served(present, async (app) => {
    // The clock of the app restarts at each start, and these events must be later than those of the backup.
    app.clock.move(MINUTE_MS);
    await signIn(app, { code: before.code });
    const issued = await app.license();
    assert.equal((await app.admin('/revokeLicense', { licenseKey: before.revoked, reason: 'fraud' })).status, 200);
    const longer = { licenseKey: before.extended, expiresAt: null };
    assert.equal((await app.admin('/updateLicense', longer)).status, 200);
    const shorter = { licenseKey: before.shortened, expiresAt: '2030-06-01T00:00:00.000Z' };
    assert.equal((await app.admin('/updateLicense', shorter)).status, 200);
    assert.equal((await app.admin('/revokeApiKey', { apiKeyToRevoke: before.apiKey })).body.revoked, 1);
    const [{ keyHash }] = (await app.admin('/listOperatorKeys')).body.keys;
    assert.equal((await app.admin('/revokeOperatorKey', { keyHash })).body.revoked, true);
    await app.admin('/changeEmail', { licenseKey: before.extended, newEmail: 'trudy@example.com' });
    // Not forgotten: the license has another customer now.
    await app.admin('/changeEmail', { licenseKey: before.sold, newEmail: EVE });
    const { body } = await app.admin('/forgetCustomer', { email: EVE });
    assert.equal(body.complete, true);
    assert.equal((await app.admin('/forgetCustomer', { email: BUYER })).body.complete, true);
    return { issued, pseudonym: body.pseudonym as string };
  });
  assert.equal((await run(present, 'drop-token-key', 'first')).code, 0);
  return { madeAt, present, backup, ...before, ...later };
}

type Shop = Awaited<ReturnType<typeof makeShop>>;

/** The shop of each engine, made once. Its two databases are copied for each test. */
const shops: Partial<Record<Engine, Promise<Shop>>> = {};
const removals: (() => unknown)[] = [];
after(async () => {
  for (const remove of removals) await remove();
});

async function shop(test: TestContext, engine: Engine) {
  shops[engine] ??= makeShop({ after: (remove) => removals.push(remove) }, engine);
  const made = await shops[engine];
  const [present, backup] = [await duplicateDatabase(made.present), await duplicateDatabase(made.backup)];
  test.after(present.remove);
  test.after(backup.remove);
  return { ...made, present: present.database, backup: backup.database };
}

/** Present state of the things that were valid at the time of the backup. */
async function stateOf(database: Database, made: Shop) {
  return served(database, async (app) => {
    const machine = new Machine(app, made.kept);
    machine.token = made.token;
    const asCreator = await app.send('/listLicenses', { apiKey: made.apiKey });
    const withCookie = await app.send('/getConsoleSession', {}, { headers: { ...PAGE_HEADERS, cookie: made.cookie } });
    const withCode = await app.send('/createConsoleSession', { code: made.code }, { headers: PAGE_HEADERS });
    const withKey = await app.send('/createConsoleSession', { secret: made.supportKey }, { headers: PAGE_HEADERS });
    const verified = await app.send('/verify', { licenseKey: made.revoked, productId: 'app' });
    return {
      cookie: withCookie.status,
      code: withCode.status,
      revoked: verified.status,
      apiKey: asCreator.status,
      operatorKey: withKey.status,
      token: (await machine.validate()).status,
    };
  });
}

const SIGNED_OUT = { cookie: 401, code: 401 };
const AS_BACKED_UP = { ...SIGNED_OUT, revoked: 200, apiKey: 200, operatorKey: 200, token: 200 };
const KEPT_REVOKED = { ...SIGNED_OUT, revoked: 403, apiKey: 401, operatorKey: 401, token: 401 };

/** Fails if a command shows a secret or an address. */
function assertSecret(out: string, made: Shop): void {
  for (const secret of [EVE, BUYER, 'mallory', 'trudy', made.apiKey, made.supportKey, made.token])
    assert.ok(!out.includes(secret), `${secret} is shown`);
}

for (const engine of engines)
  describe(`a database of ${engine} that was restored from a backup`, () => {
    it('has no session and no sign-in link of the backup any more, used or not', async (test) => {
      const made = await shop(test, engine);
      const { code, out, err } = await run(made.backup, 'after-restore');
      assert.equal(code, 0, err);
      assert.match(out, /^Ended 1 console session and 1 sign-in link: everybody has to sign in again\.$/m);
      // The backup of PostgreSQL is a copy here, and copies leave these rows out.
      const customers = /^Ended 1 session or link of customers\.$/m;
      if (engine === 'sqlite') assert.match(out, customers);
      else assert.doesNotMatch(out, customers);
      assert.match(out, /^Revocations since the backup are unknown without the previous database/m);
      assert.deepEqual(await stateOf(made.backup, made), AS_BACKED_UP);
    });

    it('carries over revocations, dropped keys and forgotten customers of the previous database, as changes by the command', async (test) => {
      const made = await shop(test, engine);
      const { out, err } = await keepRevoked(made.backup, made.present);
      assert.match(
        out,
        /: revoked 1 license, 1 API key and 1 operator key; dropped 1 token key and 0 signing keys; forgot 2 customers\.$/m,
      );
      assertSecret(out, made);
      assert.deepEqual(await stateOf(made.backup, made), KEPT_REVOKED);
      await served(made.backup, async (app) => {
        const emailOf = async (licenseKey: string) =>
          (await app.admin('/getLicense', { licenseKey })).body.license.email;
        assert.equal(await emailOf(made.forgotten), made.pseudonym);
        assert.equal(await emailOf(made.sold), 'mallory@example.com', 'whom nobody has forgotten');
        const types = ['license.revoked', 'api_key.revoked', 'operator_key.revoked', 'token_key.dropped'];
        for (const type of [...types, 'customer.forgotten', 'license.email_changed']) {
          const { events } = (await app.admin('/listEvents', { types: [type] })).body;
          assert.equal(events.length, type === 'customer.forgotten' ? 2 : 1, type);
          for (const { actor } of events) assert.deepEqual([actor.kind, actor.id], ['command', 'after-restore']);
        }
      });
      const rows = JSON.stringify(await allRows(made.backup, []));
      assert.ok(!rows.includes(EVE) && !rows.includes(BUYER), 'the addresses are gone');
      assert.ok(rows.includes(OTHER_BUYER), 'whom nobody has forgotten, either');
      assert.ok(!out.includes(EVE) && !err.includes(EVE));
    });

    it('revokes keys that were replaced since the backup, where the new ones are unknown', async (test) => {
      const present = await freshFor(test, engine);
      const licenseKey = await served(present, (app) => app.license());
      const backup = await copyOf(test, present);
      await served(present, (app) => mustSucceed(app.admin('/replaceLicense', { licenseKey })));
      assert.match((await keepRevoked(backup, present)).out, /: revoked 1 license, /);
      assert.match((await keepRevoked(present, backup)).out, /: revoked 0 licenses, /);
      await served(backup, async (app) => {
        const { license } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
        assert.deepEqual([license.status, license.replacedBy], ['revoked', undefined]);
        // Staff may give the customer another key again.
        await mustSucceed(app.admin('/reinstateLicense', { licenseKey }));
        await mustSucceed(app.admin('/replaceLicense', { licenseKey }));
      });
    });

    it('forgets former addresses of customers, too, wherever the backup still has them', async (test) => {
      const present = await freshFor(test, engine);
      const [BUYER_OF_LICENSE, TRIER] = ['adam@example.com', 'abel@example.com'];
      await served(present, async (app) => {
        await mustSucceed(app.admin('/createDiscountCode', { code: 'SPRING', trialDays: 14 }));
        const sale = { type: 'purchase.completed', email: BUYER_OF_LICENSE, productId: 'app' };
        const sold = await mustSucceed(app.webhook('/storefrontWebhook', sale));
        const tried = await mustSucceed(
          app.send('/redeemTrialCode', { email: TRIER, productId: 'app', code: 'SPRING' }),
        );
        for (const { licenseKey } of [sold, tried])
          await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: `${licenseKey}@example.com` }));
      });
      const backup = await copyOf(test, present);
      await served(present, async (app) => {
        app.clock.move(MINUTE_MS);
        for (const email of [BUYER_OF_LICENSE, TRIER]) await mustSucceed(app.admin('/forgetCustomer', { email }));
      });
      const pseudonyms = async (database: Database) => [
        await rowOf(database, 'select email from storefront_event'),
        await rowOf(database, 'select email_folded from redemption'),
      ];
      const expected = await pseudonyms(present);
      // First with all events, then long after the retention of events.
      for (const isOld of [false, true]) {
        const { database: restored, remove } = await duplicateDatabase(backup);
        test.after(remove);
        if (isOld) await keepOnlyLateEvent(present);
        await keepRevoked(restored, present);
        assert.ok(!/adam@|abel@/.test(await textOf(restored)));
        assert.deepEqual(await pseudonyms(restored), expected);
      }
    });

    it('forgets users of licenses, present, released and gone, and nobody with the name of another one', async (test) => {
      const present = await freshFor(test, engine);
      const [SEATED, RELEASED, GONE, OTHER] = ['ida@example.com', 'jon@example.com', 'kim@example.com', 'Lou'];
      const owner = 'owner@example.com';
      const { licenseKey, others } = await served(present, async (app) => {
        const key = await app.license({ maxMachines: -1, maxUsers: 9, usersFloat: true });
        for (const user of [SEATED, RELEASED, GONE, OTHER])
          await activatedBy(app, key, user, `machine of ${user.slice(0, 3)}`);
        await mustSucceed(app.admin('/releaseUser', { licenseKey: key, user: RELEASED }));
        await mustSucceed(app.admin('/releaseActivation', { licenseKey: key, machineFingerprint: 'machine of kim' }));
        const forgotten = await app.license({ email: owner, maxMachines: -1, maxUsers: 9 });
        await activatedBy(app, forgotten, OTHER, 'elsewhere');
        return { licenseKey: key, others: forgotten };
      });
      const backup = await copyOf(test, present);
      await served(present, async (app) => {
        app.clock.move(MINUTE_MS);
        for (const email of [SEATED, RELEASED, GONE, owner]) await mustSucceed(app.admin('/forgetCustomer', { email }));
        await mustSucceed(app.admin('/changeEmail', { licenseKey: others, newEmail: 'new@example.com' }));
      });
      await keepRevoked(backup, present);
      const text = await textOf(backup);
      for (const name of [/ida@/i, /jon@/i, /kim@/i, /owner@/i]) assert.doesNotMatch(text, name);
      await served(backup, async (app) => {
        assert.equal((await usersOf(app, licenseKey))[OTHER], 1, 'a user of that name on another license');
        assert.ok(!(OTHER in (await usersOf(app, others))));
      });
    });

    for (const [clock, moved] of [
      ['', 2 * HOUR_MS],
      [', by a clock that was behind the backup', HOUR_MS / 2],
      [', by a clock that was behind all events', -DAY_MS],
    ] as const)
      it(`forgets the customers of licenses that have another address by now${clock}`, async (test) => {
        const present = await freshFor(test, engine);
        const keys = await served(present, async (app) => {
          const made = {
            forgotten: await app.license({ email: 'adam@example.com' }),
            both: await app.license({ email: 'abel@example.com' }),
            given: await app.license({ email: 'amos@example.com' }),
            remained: await app.license({ email: 'anna@example.com' }),
            returned: await app.license({ email: 'asta@example.com' }),
          };
          app.clock.move(HOUR_MS);
          await app.license();
          return made;
        });
        const backup = await copyOf(test, present);
        const addressOf = async (database: Database, key: string) =>
          (await rowOf(database, `select email from license where license_key = '${key}'`))!.email as string;
        const pseudonyms = await served(present, async (app) => {
          app.clock.move(moved);
          const give = (licenseKey: string, newEmail: string) =>
            mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail }));
          const forget = async (email: string): Promise<string> =>
            (await mustSucceed(app.admin('/forgetCustomer', { email }))).pseudonym;
          // After a note, only an older event of the backup shows that a change is new. The last clock has none.
          if (moved > 0) await mustSucceed(app.admin('/addNote', { licenseKey: keys.forgotten, text: 'Sold to Bob.' }));
          await give(keys.forgotten, 'bob@example.com');
          await give(keys.both, 'bert@example.com');
          await give(keys.given, 'bill@example.com');
          const made = { forgotten: await forget('adam@example.com'), both: await forget('abel@example.com') };
          await forget('bert@example.com');
          await forget('bill@example.com');
          const returned = await forget('asta@example.com');
          await give(keys.returned, 'asta-again@example.com');
          return { ...made, returned };
        });
        assert.match((await keepRevoked(backup, present)).out, / forgot 3 customers\.$/m);
        for (const [name, pseudonym] of Object.entries(pseudonyms))
          assert.equal(await addressOf(backup, keys[name as keyof typeof keys]), pseudonym, name);
        assert.equal(await addressOf(backup, keys.given), 'amos@example.com', 'whom nobody has forgotten');
        assert.equal(await addressOf(backup, keys.remained), 'anna@example.com');
        assert.ok(!/adam@|abel@|asta@/.test(await textOf(backup)));
        const rows = await allRows(backup, []);
        assert.match((await keepRevoked(backup, present)).out, / forgot 0 customers\.$/m);
        assert.deepEqual(await allRows(backup, []), rows);
      });

    it('forgets the customer of a license that had another address before the backup', async (test) => {
      const present = await freshFor(test, engine);
      await served(present, async (app) => {
        const licenseKey = await app.license({ email: 'adam@example.com' });
        await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: 'abel@example.com' }));
      });
      const backup = await copyOf(test, present);
      await served(present, async (app) => {
        app.clock.move(MINUTE_MS);
        await mustSucceed(app.admin('/forgetCustomer', { email: 'abel@example.com' }));
      });
      const { out } = await keepRevoked(backup, present);
      assert.match(out, / forgot 1 customer\.$/m);
      const rows = await textOf(backup);
      assert.ok(rows.includes('adam@example.com') && !rows.includes('abel@example.com'));
    });

    it('keeps the present customer of a license whose former one was forgotten before the backup', async (test) => {
      const present = await freshFor(test, engine);
      const [noted, plain] = await served(present, async (app) => {
        const keys = [
          await app.license({ email: 'adam@example.com' }),
          await app.license({ email: 'abel@example.com' }),
        ];
        await mustSucceed(app.admin('/addNote', { licenseKey: keys[0], text: 'Sold to Bob.' }));
        for (const licenseKey of keys)
          await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: `${licenseKey}@example.com` }));
        for (const email of ['adam@example.com', 'abel@example.com'])
          await mustSucceed(app.admin('/forgetCustomer', { email }));
        return keys;
      });
      await served(present, async (app) => {
        app.clock.move(HOUR_MS);
        await app.license();
      });
      const backup = await copyOf(test, present);
      // Only the events of the first hour are old enough to be deleted.
      await execute(
        backup,
        `delete from event where type <> 'license.noted' and event_id < (select max(event_id) from event)`,
      );
      await served(present, async (app) => {
        app.clock.move(2 * HOUR_MS);
        await app.license();
      });
      const { out } = await keepRevoked(backup, present);
      assert.match(out, / forgot 0 customers\.$/m);
      const rows = await textOf(backup);
      for (const licenseKey of [noted, plain]) assert.ok(rows.includes(`${licenseKey}@example.com`));
    });

    it('keeps an address that a license got after the restore, when revocations are carried over again', async (test) => {
      const present = await freshFor(test, engine);
      const [first, second] = await served(present, async (app) => [
        await app.license({ email: 'adam@example.com' }),
        await app.license({ email: 'abel@example.com' }),
      ]);
      const backup = await copyOf(test, present);
      await served(present, async (app) => {
        app.clock.move(MINUTE_MS);
        await mustSucceed(app.admin('/forgetCustomer', { email: 'adam@example.com' }));
        await mustSucceed(app.admin('/changeEmail', { licenseKey: second, newEmail: 'bob@example.com' }));
        await mustSucceed(app.admin('/forgetCustomer', { email: 'abel@example.com' }));
      });
      await served(backup, async (app) => {
        app.clock.move(2 * MINUTE_MS);
        for (const licenseKey of [first, second])
          await mustSucceed(app.admin('/changeEmail', { licenseKey, newEmail: `${licenseKey}@example.com` }));
      });
      await keepRevoked(backup, present);
      const rows = await textOf(backup);
      for (const licenseKey of [first, second]) assert.ok(rows.includes(`${licenseKey}@example.com`));
      assert.ok(!/adam@|abel@/.test(rows), 'the events have forgotten them');
    });

    it('stays unchanged when revocations are carried over again', async (test) => {
      const made = await shop(test, engine);
      await keepRevoked(made.backup, made.present);
      const rows = await allRows(made.backup, []);
      const { out } = await keepRevoked(made.backup, made.present);
      assert.match(
        out,
        /: revoked 0 licenses, 0 API keys and 0 operator keys; dropped 0 .* 0 .* forgot 0 customers\.$/m,
      );
      assert.deepEqual(await allRows(made.backup, []), rows);
    });

    it('keeps what was revoked since the backup by a clock that was behind it', async (test) => {
      const present = await freshFor(test, engine);
      const [first, second] = await served(present, async (app) => [await app.license(), await app.license()]);
      const backup = await copyOf(test, present);
      await served(present, async (app) => {
        app.clock.move(-DAY_MS);
        await mustSucceed(app.admin('/revokeLicense', { licenseKey: first, reason: 'fraud' }));
      });
      await served(backup, async (app) => {
        app.clock.move(MINUTE_MS);
        await mustSucceed(app.admin('/revokeLicense', { licenseKey: second, reason: 'fraud' }));
      });
      const { out } = await keepRevoked(backup, present);
      assert.match(out, /: revoked 1 license,/);
    });

    it('keeps nothing from an older backup, nor from the database of another installation', async (test) => {
      const made = await shop(test, engine);
      const other = await makeShop(test, engine);
      for (const [restored, from, reason] of [
        [made.present, made.backup, /it has no change that is newer than the restored backup/],
        [made.backup, other.present, /it belongs to another installation/],
      ] as const) {
        const before = await stateOf(restored, made);
        const { code, err } = await run(restored, 'after-restore', '--keep-revoked-from', nameOf(from));
        assert.equal(code, 1);
        assert.match(err, reason);
        assert.ok(!err.includes('password'));
        const { revoked, apiKey, token } = await stateOf(restored, made);
        assert.deepEqual(
          { revoked, apiKey, token },
          { revoked: before.revoked, apiKey: before.apiKey, token: before.token },
        );
      }
    });

    it('keeps nothing from an older backup whose other events are deleted for their age, but not its notes', async (test) => {
      const present = await freshFor(test, engine);
      await served(present, async (app) => {
        const licenseKey = await app.license();
        await mustSucceed(app.admin('/addNote', { licenseKey, text: 'Wrote on Monday.' }));
        await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      });
      const backup = await copyOf(test, present);
      await keepOnlyLateEvent(present);
      const { code, err } = await run(present, 'after-restore', '--keep-revoked-from', nameOf(backup));
      assert.equal(code, 1);
      assert.match(err, /it has no change that is newer than the restored backup/);
    });

    it('carries over revocations of a year of which no event is left', async (test) => {
      const made = await shop(test, engine);
      await keepOnlyLateEvent(made.present);
      await keepRevoked(made.backup, made.present);
      const { revoked, apiKey, operatorKey: key, token } = await stateOf(made.backup, made);
      assert.deepEqual([revoked, apiKey, key, token], [403, 401, 401, 401]);
      assert.equal(await rowOf(made.backup, `select 1 as one from license where email = '${EVE}'`), null);
    });
  });

describe('restore', () => {
  it('ends all sign-ins, and keeps the previous database', async (test) => {
    const made = await shop(test, 'sqlite');
    const { code, out, err } = await run(made.present, 'restore', nameOf(made.backup));
    assert.equal(code, 0, err);
    assert.match(out, /^Ended 1 console session and 1 sign-in link: everybody has to sign in again\.$/m);
    assertSecret(out, made);
    assert.deepEqual(await stateOf(made.present, made), AS_BACKED_UP);
    const kept = /^Previous database kept as (.*)$/m.exec(out)?.[1] ?? '';
    for (const each of [kept, nameOf(made.backup)]) assert.equal(existsSync(`${each}-wal`), false, each);
  });

  it('carries over revocations of the present database on request', async (test) => {
    const made = await shop(test, 'sqlite');
    const present = nameOf(made.present);
    const { code, out, err } = await run(
      made.present,
      ...['restore', nameOf(made.backup), '--keep-revoked-from', present],
    );
    assert.equal(code, 0, err);
    assertSecret(out, made);
    assert.deepEqual(await stateOf(made.present, made), KEPT_REVOKED);
    assert.ok(!JSON.stringify(await allRows(made.present, [])).includes(EVE), 'the address is gone');
    const { actor } = (await rowOf(made.present, "select actor from event where type = 'license.revoked'"))!;
    assert.equal(actor, 'command:restore');
    // The kept database can be restored in turn, any number of times.
    const kept = /^Previous database kept as (.*)$/m.exec(out)?.[1] ?? '';
    for (const _ of [1, 2]) assert.equal((await run(made.present, 'restore', kept)).code, 0);
  });

  it('replaces a previous database that is damaged, or missing', async (test) => {
    const made = await shop(test, 'sqlite');
    const [present, backup] = [nameOf(made.present), nameOf(made.backup)];
    writeFileSync(present, 'nothing that a database begins with'.repeat(1000));
    const damaged = await run(made.present, 'restore', backup);
    assert.equal(damaged.code, 0, damaged.err);
    assert.equal((await stateOf(made.present, made)).revoked, 200);
    const elsewhere = { engine: 'sqlite', file: join(temporaryFolder(test), 'latchkey.db') } as const;
    const first = await run(elsewhere, 'restore', backup);
    assert.equal(first.code, 0, first.err);
  });

  it('accepts a backup of an older version, and carries over revocations', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const order = { email: EVE, productId: 'app' };
    const [revoked = ''] = await served(database, (app) => Promise.all([1, 2].map(() => app.license(order))));
    const backup = join(temporaryFolder(test), 'backup.db');
    assert.equal((await run(database, 'backup', backup)).code, 0);
    knowingMigrations(test, nextMigration(1));
    await served(database, async (app) => {
      await app.admin('/revokeLicense', { licenseKey: revoked });
      await app.admin('/forgetCustomer', { email: EVE });
    });
    const { code, err } = await run(database, 'restore', backup, '--keep-revoked-from', nameOf(database));
    assert.equal(code, 0, err);
    const row = await rowOf(
      database,
      `select count(*) as revoked, (select count(*) from license where email = '${EVE}') as known
       from license where revocation = 'plain'`,
    );
    assert.deepEqual(row, { revoked: 1, known: 0 });
  });

  it('changes nothing when the database with revocations cannot be read', async (test) => {
    const made = await shop(test, 'sqlite');
    const present = nameOf(made.present);
    const rows = await allRows(made.present, []);
    const nothing = join(dirname(present), 'nothing.db');
    writeFileSync(nothing, 'no database');
    for (const from of [nothing, join(dirname(present), 'absent.db')]) {
      const { code } = await run(made.present, 'restore', nameOf(made.backup), '--keep-revoked-from', from);
      assert.equal(code, 1);
      assert.deepEqual(await allRows(made.present, []), rows);
      assert.deepEqual(
        readdirSync(dirname(present)).filter((name) => /partial|before/.test(name)),
        [],
      );
    }
  });
});
