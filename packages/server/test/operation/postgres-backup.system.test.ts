/** The two ways to back up PostgreSQL in docs/operators/operations.md, where the programs for it are installed. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_SECRET } from '../support/app.ts';
import { runCommandHere } from '../support/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { findPrograms, LocalPostgres } from './local-postgres.ts';

const programs = findPrograms();
const skip = programs === null && 'pg_dump and pg_basebackup are not installed, with a PostgreSQL beside them';

async function makePostgres(test: TestContext): Promise<{ postgres: LocalPostgres; folder: string }> {
  // In /tmp, because the server's user may not reach the folder of the user who runs the tests.
  const folder = mkdtempSync('/tmp/latchkey-backup-');
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await LocalPostgres.make(programs as string, folder);
  test.after(() => postgres.stop());
  return { postgres, folder };
}

async function serve(test: TestContext, url: string): Promise<ServerProcess> {
  const service = await startServerProcess({ engine: 'postgres', url });
  test.after(() => service.kill());
  return service;
}

/** Issues a license and activates a machine with it. */
async function issue(service: ServerProcess) {
  const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
  const { status, body } = await service.send('/createLicense', order);
  assert.equal(status, 200, JSON.stringify(body));
  const machine = { licenseKey: body.licenseKey as string, machineFingerprint: 'one' };
  const activated = await service.send('/activate', { ...machine, hostname: 'host', productId: 'app' });
  assert.equal(activated.status, 200, JSON.stringify(activated.body));
  return { ...machine, token: activated.body.token as string };
}

/** Whether a machine's session continues in a service. */
const isValid = async (service: ServerProcess, machine: Awaited<ReturnType<typeof issue>>) => {
  const { status, body } = await service.send('/validate', machine);
  return status === 200 && body.valid === true;
};

describe('a backup of PostgreSQL', { skip }, () => {
  it('by pg_dump holds all of one moment, while the service goes on', async (test) => {
    const { postgres, folder } = await makePostgres(test);
    await postgres.start();
    const service = await serve(test, postgres.url());
    const before = await issue(service);
    const dump = join(folder, 'latchkey.dump');
    await postgres.run('pg_dump', '--format=custom', `--file=${dump}`, postgres.url());
    const later = await issue(service);

    await postgres.query('create database restored');
    const url = postgres.url('restored');
    await postgres.run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${url}`, dump);
    const restored = await serve(test, url);
    assert.equal(await isValid(restored, before), true);
    assert.equal(await isValid(restored, later), false);
    assert.equal(await isValid(restored, await issue(restored)), true, 'it takes changes');
    assert.equal(await isValid(service, later), true);
  });

  it('by pg_dump is restored with later revocations kept, by the command after-restore', async (test) => {
    const { postgres, folder } = await makePostgres(test);
    await postgres.start();
    const service = await serve(test, postgres.url());
    const { licenseKey } = await issue(service);
    const dump = join(folder, 'latchkey.dump');
    await postgres.run('pg_dump', '--format=custom', `--file=${dump}`, postgres.url());
    const revoked = await service.send('/revokeLicense', { adminSecret: ADMIN_SECRET, licenseKey });
    assert.equal(revoked.status, 200);
    await issue(service);
    await service.stop();

    await postgres.query('create database restored');
    const url = postgres.url('restored');
    await postgres.run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${url}`, dump);
    const args = ['after-restore', '--keep-revoked-from', postgres.url()];
    const { code, out, err } = await runCommandHere(args, { DATABASE_URL: url });
    assert.equal(code, 0, err);
    assert.match(out, /^Carried over from .*: revoked 1 license, /m);
    const restored = await serve(test, url);
    assert.equal((await restored.send('/verify', { licenseKey, productId: 'app' })).status, 403);
  });

  it('by pg_basebackup and the archived log brings back the moment that is asked for', async (test) => {
    const { postgres, folder } = await makePostgres(test);
    const archive = `cp %p ${folder}/%f`;
    await postgres.start({ wal_level: 'replica', archive_mode: 'on', archive_command: archive });
    const service = await serve(test, postgres.url());
    await postgres.run(
      ...(['pg_basebackup', `--pgdata=${folder}/base`, '--checkpoint=fast', '--wal-method=stream'] as const),
      `--dbname=${postgres.url()}`,
    );
    const wanted = await issue(service);
    const moment = await postgres.query('select clock_timestamp()::text as now');
    const unwanted = await issue(service);
    const segment = await postgres.query('select pg_walfile_name(pg_switch_wal()) as name');
    for (;;) {
      const archived = await postgres.query('select last_archived_wal as name from pg_stat_archiver');
      if (String(archived?.name ?? '') >= String(segment?.name)) break;
      await wait(50);
    }
    await service.stop();
    await postgres.stop();

    const recovery = [
      `restore_command = 'cp ${folder}/%f %p'`,
      `recovery_target_time = '${moment?.now}'`,
      "recovery_target_action = 'promote'",
    ];
    appendFileSync(join(folder, 'base', 'postgresql.auto.conf'), `${recovery.join('\n')}\n`);
    writeFileSync(join(folder, 'base', 'recovery.signal'), '');
    await postgres.start({}, 'base');
    const restored = await serve(test, postgres.url());
    assert.equal(await isValid(restored, wanted), true);
    assert.equal(await isValid(restored, unwanted), false);
    assert.equal(await isValid(restored, await issue(restored)), true, 'it takes changes');
  });
});
