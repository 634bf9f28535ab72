/** Two versions on one PostgreSQL under load: a rolling update, and a rollback, without an outage. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../src/ground/base/clock.ts';
import { type Migration, migration } from '../../src/storage/migrations/migration.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { emptyDatabase } from '../support/databases.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { Cluster } from './cluster.ts';
import { Ledger } from './ledger.ts';
import { findPreviousCommit, unpack } from './previous-version.ts';

const NEWEST = migrations.at(-1)!.version;

/** A change that a future version may make to tables while nodes of this version use them. */
const expanding = migration(
  NEWEST + 1,
  'of_a_version_to_come',
  ({ text, integer, tableEnd }) => `
create table to_come (id ${text} not null primary key)${tableEnd};
alter table license add column to_come_text ${text};
alter table activation add column to_come_number ${integer} not null default 0;
alter table event add column to_come_text ${text};
create index license_to_come on license (to_come_text);
`,
  'go on',
);
const contracting = migration(NEWEST + 2, 'of_a_later_version', () => 'drop table to_come;', 'must stop');

describe('a version to come whose migrations let older nodes go on', () => {
  it('changes the tables under nodes of this version, which serve meanwhile and may be started again', async (test) => {
    const cluster = await Cluster.start('postgres');
    test.after(() => cluster.stop());
    const ledger = new Ledger(cluster.serving, randomInt);
    ledger.start();
    await ledger.untilChanged(50);
    const applied = await migrateDatabase(cluster.database, systemClock(), [...migrations, expanding]);
    assert.deepEqual(applied, [expanding.name]);
    await ledger.untilChanged(50);
    for (let index = 0; index < cluster.size; index += 1) {
      assert.equal(await cluster.restartNode(index), 0);
      await ledger.untilChanged(30);
    }
    await ledger.pause();
    await ledger.check(cluster.database);
    const failed = cluster.serving().flatMap(({ log }) => log.filter(({ event }) => event === 'request.failed'));
    assert.deepEqual(failed, []);

    await migrateDatabase(cluster.database, systemClock(), [...migrations, expanding, contracting]);
    await assert.rejects(
      cluster.restartNode(0),
      /The tables have version \d+, but this Latchkey supports versions up to \d+/,
    );
  });
});

const commit = findPreviousCommit();

describe('the version before this one', { skip: commit === null && 'there is no history here that has one' }, () => {
  it('serves beside this one while nodes are updated one by one, and when they are put back', async (test) => {
    const previous = unpack(commit!);
    test.after(previous.remove);
    const { migrations: known } = (await import(
      pathToFileURL(join(previous.directory, 'src/storage/migrations/migrations.ts')).href
    )) as { migrations: readonly Migration[] };
    const between = migrations.filter(({ version }) => !known.some((each) => each.version === version));
    const mustStop = between.filter(({ olderNodes }) => olderNodes === 'must stop');
    const { database } = await emptyDatabase('postgres', test);
    const all = new Set<ServerProcess>();
    const serving = new Set<ServerProcess>();
    test.after(() => Promise.all([...all].map((node) => node.kill())));
    const start = async (program: string) => {
      const node = await startServerProcess(database, {}, [program]);
      all.add(node);
      serving.add(node);
      return node;
    };
    const startOld = () => start(join(previous.directory, 'src/main.ts'));
    const startNew = () => start('main.ts');
    const stop = async (node: ServerProcess) => {
      serving.delete(node);
      assert.equal(await node.stop(), 0);
    };
    const ledger = new Ledger(() => [...serving], randomInt);
    const old = [await startOld(), await startOld()] as const;
    ledger.start();
    await ledger.untilChanged(50);
    if (mustStop.length > 0) {
      test.diagnostic(`nodes of ${commit} must stop before ${mustStop.map(({ name }) => name).join(', ')}`);
      await ledger.pause();
      for (const node of old) await stop(node);
    }
    const first = await startNew();
    if (mustStop.length > 0) ledger.start();
    await ledger.untilChanged(60);
    if (mustStop.length === 0) await stop(old[0]);
    const second = await startNew();
    await ledger.untilChanged(60);
    if (mustStop.length === 0) await stop(old[1]);
    await ledger.untilChanged(30);
    if (between.length === 0) {
      // A downgrade: a node of the previous version starts on the data of this version.
      await startOld();
      await stop(first);
      await stop(second);
      await ledger.untilChanged(50);
    } else if (mustStop.length > 0) await assert.rejects(startOld(), /Start the newer version|Use the newer Latchkey/);
    await ledger.pause();
    await ledger.check(database);
    test.diagnostic(`${commit}: ${JSON.stringify(ledger.report())}`);
  });
});
