/** Operation of a database behind PostgreSQL's protocol: starts, restarts, copies, exports, and outages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { copiedTables } from '../../src/app.ts';
import { Lease } from '../../src/platform/jobs/lease.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { copyDatabase } from '../../src/storage/copy/copy-database.ts';
import { claimPostgresTarget } from '../../src/storage/copy/postgres-claim.ts';
import { migrateDatabase, openStorage } from '../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { BrokenLine } from '../support/broken-line.ts';
import { environmentOf, runCommandHere } from '../support/command.ts';
import { emptyDatabase, freshDatabase } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const QUIET = { stage() {}, rows() {}, compared() {}, goesOn() {} };

type PostgresDatabase = Extract<Database, { engine: 'postgres' }>;

/** Things that a test closes at its end, the last first: a service before its database. */
class Opened {
  readonly #closings: (() => Promise<unknown>)[] = [];

  constructor(test: TestContext) {
    test.after(async () => {
      for (const close of this.#closings.toReversed()) await close();
    });
  }

  async database(make: typeof freshDatabase): Promise<PostgresDatabase> {
    const { database, remove } = await make('postgres');
    this.#closings.push(remove);
    return database as PostgresDatabase;
  }

  /** A service on a database that stays when it stops. */
  async service(database: Database): Promise<TestApp> {
    const app = await startApp('postgres', { LATCHKEY_LOG_LEVEL: 'fatal' }, { database, remove: async () => {} });
    this.#closings.push(() => app.stop());
    return app;
  }

  async line(url: string): Promise<BrokenLine> {
    const line = await BrokenLine.to(url);
    this.#closings.push(() => line.close());
    return line;
  }
}

describe('an operator of a server with the protocol of postgres', () => {
  it('starts a node beside another, and restarts it', async (test) => {
    const opened = new Opened(test);
    const database = await opened.database(freshDatabase);
    const here = await opened.service(database);
    const licenseKey = await here.license();
    for (let start = 0; start < 2; start += 1) {
      const there = await opened.service(database);
      const machine = await new Machine(there, licenseKey, `machine-${start}`).activated();
      assert.equal((await machine.heartbeat()).status, 200);
      await there.stop();
    }
    assert.equal((await new Machine(here, licenseKey).verify()).body.machinesUsed, 2);
  });

  it('copies a database to another one, which is served then', async (test) => {
    const opened = new Opened(test);
    const source = await opened.database(freshDatabase);
    const target = await opened.database(emptyDatabase);
    const app = await opened.service(source);
    const licenseKey = await app.license();
    await new Machine(app, licenseKey).activated();
    await app.stop();
    const copied = await copyDatabase(source, target, copiedTables, Date.now, QUIET);
    assert.ok(copied.rows > 1);
    const there = await opened.service(target);
    assert.equal((await new Machine(there, licenseKey).verify()).body.machinesUsed, 1);
  });

  it('starts nothing on a database that a copy has claimed, until the copy releases it', async (test) => {
    const opened = new Opened(test);
    const { url } = await opened.database(freshDatabase);
    const claim = await claimPostgresTarget(url);
    await assert.rejects(claimPostgresTarget(url), /another copy is running/);
    let hasStarted = false;
    const starting = migrateDatabase({ engine: 'postgres', url }, Date.now()).then(() => {
      hasStarted = true;
    });
    await assert.rejects(claimPostgresTarget(url), /another copy is running/);
    assert.equal(hasStarted, false);
    await claim.release();
    await starting;
    await (await claimPostgresTarget(url)).release();
  });

  it('exports a database, and imports it into an empty one', async (test) => {
    const opened = new Opened(test);
    const folder = temporaryFolder(test);
    const [from, to] = [await opened.database(freshDatabase), await opened.database(freshDatabase)];
    const app = await opened.service(from);
    await new Machine(app, await app.license()).activated();
    await app.stop();
    const exported = async (database: Database, name: string) => {
      const { code, err } = await runCommandHere(['export', join(folder, name)], environmentOf(database));
      assert.equal(code, 0, err);
      return readFileSync(join(folder, name), 'utf8').split('\n').slice(1).sort();
    };
    const lines = await exported(from, 'one');
    const { code, err } = await runCommandHere(['import', join(folder, 'one')], environmentOf(to));
    assert.equal(code, 0, err);
    assert.deepEqual(await exported(to, 'other'), lines);
  });

  it('has each job done by one node at a time', async (test) => {
    const opened = new Opened(test);
    const database = await opened.database(freshDatabase);
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openStorage(database)));
    test.after(() => Promise.all(nodes.map((node) => node.close())));
    const clock = () => Date.UTC(2026, 0, 1);
    const taken = await Promise.all(
      nodes.flatMap((node) =>
        Array.from({ length: 5 }, () => new Lease(node, 'rehearsed job', clock).hold(async () => {})),
      ),
    );
    assert.equal(taken.filter(Boolean).length, 1);
  });

  it('goes on when all connections of a node were cut', async (test) => {
    const opened = new Opened(test);
    const { url } = await opened.database(freshDatabase);
    const line = await opened.line(url);
    const app = await opened.service({ engine: 'postgres', url: line.url });
    const licenseKey = await app.license();
    line.cut();
    assert.equal((await new Machine(app, licenseKey).activate()).status, 503);
    line.mend();
    let answer = await new Machine(app, licenseKey).activate();
    while (answer.status === 503) answer = await new Machine(app, licenseKey).activate();
    assert.equal(answer.status, 200);
    assert.equal((await new Machine(app, licenseKey).verify()).body.machinesUsed, 1);
  });
});
