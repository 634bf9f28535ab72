/** The system's report to the operator (rules 4.14.1). */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { openCertificate } from '../../../src/runtime/http/certificate.ts';
import { newestSchemaVersion } from '../../../src/storage/opening/open.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { sendFrom, startBehindProxy } from '../../support/behind-proxy.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { appFor } from '../../support/for-test.ts';
import { writeMmdb } from '../../support/mmdb-writer.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PREVIOUS = { admin: 'admin-secret-of-last-year', webhook: 'webhook-secret-of-last-year' };

const directory = temporaryFolder();
const countriesFile = join(directory, 'countries.mmdb');
writeFileSync(countriesFile, writeMmdb(4, { '192.0.2.0/24': { country: { iso_code: 'DE' } } }));

/** A new certificate in a new directory. */
async function certificateIn(name: string, now: number) {
  const config = readConfig({ LATCHKEY_DATA_DIR: directory });
  const made = await openCertificate({ ...config, dataDirectory: mkdtempSync(join(directory, name)) }, now);
  return made;
}

for (const engine of engines)
  describe(`getSystem on ${engine}`, () => {
    const app = startedApp(engine, {
      LATCHKEY_ADMIN_SECRET_PREVIOUS: PREVIOUS.admin,
      LATCHKEY_WEBHOOK_SECRET_PREVIOUS: PREVIOUS.webhook,
      LATCHKEY_CONSOLE_LABEL: 'staging',
      LATCHKEY_EVENT_RETENTION: '90d',
      LATCHKEY_COUNTRY_HEADER: 'CF-IPCountry',
      LATCHKEY_GEOIP_FILE: countriesFile,
    });

    const system = async () => {
      const { status, body } = await app.admin('/getSystem');
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };

    it('shows versions, machine, start and log level', async () => {
      const startedAt = (await system()).service.startedAt;
      app.clock.move(3 * HOUR_MS);
      const { service } = await system();
      const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
      const { memoryBytes, ...reported } = service;
      assert.deepEqual(reported, {
        version,
        nodeJsVersion: process.versions.node,
        hostname: hostname(),
        label: 'staging',
        logLevel: 'error',
        time: app.clock.at(),
        startedAt: app.clock.at(-3 * HOUR_MS),
        clock: { state: 'believed', believedAt: null, believedFrom: null },
        reference: '/docs',
        openApi: '/openapi.json',
      });
      assert.equal(startedAt, reported.startedAt);
      // The service runs in the process of the test.
      const real = process.memoryUsage.rss();
      assert.ok(memoryBytes > real / 2 && memoryBytes < real * 2, `${memoryBytes} of ${real}`);
      for (const path of [service.reference, service.openApi])
        assert.equal((await app.send(path, undefined, { method: 'GET' })).status, 200);
    });

    it('shows the database, its location and its size', async () => {
      await app.license();
      const { database } = await system();
      assert.equal(database.engine, engine);
      if (app.database.engine === 'sqlite') {
        const { file } = app.database;
        const row = await rowOf(app.database, 'select sqlite_version() as version');
        assert.deepEqual([database.version, database.location], [row?.version, file]);
        assert.equal(database.bytes, statSync(file).size + statSync(`${file}-wal`).size);
        assert.ok(database.diskTotalBytes > database.bytes && database.diskFreeBytes < database.diskTotalBytes);
      } else {
        const { hostname: host, port, pathname, password } = new URL(app.database.url);
        const row = await rowOf(app.database, "select current_setting('server_version_num')::int / 10000 as major");
        assert.equal(database.version.split('.')[0], String(row?.major));
        assert.equal(database.location, `${decodeURIComponent(pathname.slice(1))} on ${host}:${port || 5432}`);
        assert.ok(password === '' || !database.location.includes(password));
        const size = await rowOf(app.database, 'select pg_database_size(current_database())::float as bytes');
        assert.ok(Math.abs(database.bytes - Number(size?.bytes)) < 4_000_000, `${database.bytes} of ${size?.bytes}`);
        assert.deepEqual([database.diskFreeBytes, database.diskTotalBytes], [null, null]);
      }
    });

    it("shows the database's clock beside the service's", async () => {
      const before = Date.now();
      const { database } = await system();
      if (engine === 'sqlite') return assert.equal(database.time, null);
      const reported = Date.parse(database.time);
      // The server of the tests runs on this machine, and rounds.
      assert.ok(
        reported >= before - 1 && reported <= Date.now() + 1,
        `${database.time} and ${new Date(before).toISOString()}`,
      );
    });

    it('shows the newest migration, and whether the tables are newer or older than the service', async () => {
      const { migration } = (await system()).database;
      const row = await rowOf(app.database, 'select name from schema_migration order by version desc limit 1');
      const { appliedAt, ...reported } = migration;
      const newestKnown = newestSchemaVersion();
      assert.deepEqual(reported, { version: newestKnown, name: row?.name, newestKnown, state: 'current' });
      assert.match(appliedAt, /^\d{4}-\d\d-\d\dT/);

      await execute(
        app.database,
        "insert into schema_migration (version, name, applied_at, older_nodes) values (9999, '9999_later', '2027-01-02T03:04:05.678Z', 'go on')",
      );
      assert.deepEqual((await system()).database.migration, {
        version: 9999,
        name: '9999_later',
        appliedAt: '2027-01-02T03:04:05.678Z',
        newestKnown,
        state: 'ahead',
      });
      await execute(app.database, 'delete from schema_migration where version = 9999');
    });

    it('shows that the tables are older than the service', async (test) => {
      const next = nextMigration(1);
      knowingMigrations(test, next);
      const older = await appFor(test, engine);
      await execute(older.database, `delete from schema_migration where version = ${next.version}`);
      assert.equal((await older.admin('/getSystem')).body.database.migration.state, 'behind');
    });

    it('shows the sources of countries: the header, and the file with its date', async () => {
      assert.deepEqual((await system()).countries, {
        header: 'cf-ipcountry',
        file: countriesFile,
        fileBuiltAt: '2026-01-01T00:00:00.000Z',
      });
    });

    it('shows retention times', async () => {
      const days = 86_400;
      assert.deepEqual((await system()).retention, {
        eventSeconds: 90 * days,
        refusalSeconds: 90 * days,
        hourlyStatisticsSeconds: 14 * days,
        dailyStatisticsSeconds: 1_096 * days,
        safeRetrySeconds: days,
        expiredLicenseFileSeconds: 90 * days,
        sessionSeconds: days,
        idleSessionSeconds: days / 2,
        keptSessionSeconds: 7 * days,
      });
    });

    it('shows the parts of the installation that are set up', async (test) => {
      assert.deepEqual((await system()).setup, {
        publicUrl: null,
        sendsMail: false,
        customerPages: false,
        identityProvider: false,
        lastBackupAt: null,
        operatorMails: null,
      });
      const mark = join(directory, `backup-of-${engine}`);
      writeFileSync(mark, '');
      utimesSync(mark, 1_700_000_000, 1_700_000_000);
      const whole = await appFor(test, engine, {
        LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
        LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:2525',
        LATCHKEY_MAIL_FROM: 'licenses@shop.example',
        LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests',
        LATCHKEY_SELF_SERVICE: 'on',
        LATCHKEY_BACKUP_MARK: mark,
        LATCHKEY_OPERATOR_EMAIL: 'ops@example.com',
        LATCHKEY_OPERATOR_NOTICES: 'digest,mails_failed',
      });
      assert.deepEqual((await whole.admin('/getSystem')).body.setup, {
        publicUrl: 'https://licenses.example.com',
        sendsMail: true,
        customerPages: true,
        identityProvider: false,
        lastBackupAt: new Date(1_700_000_000_000).toISOString(),
        operatorMails: { addresses: ['ops@example.com'], kinds: ['mails_failed', 'digest'] },
      });
    });

    it('shows no secret and nothing of the environment', async () => {
      const reported = JSON.stringify(await system());
      const { url = '' } = app.database as { url?: string };
      const { username = '', password = '' } = url === '' ? {} : new URL(url);
      const secrets = [ADMIN_SECRET, WEBHOOK_SECRET, PREVIOUS.admin, PREVIOUS.webhook, url, `${username}:${password}`];
      const environment = Object.values(process.env).filter((value = '') => value.length > 60);
      for (const secret of [...secrets, ...environment].filter((each) => each !== '' && each !== ':'))
        assert.ok(!reported.includes(String(secret)), `${secret} is shown`);
      for (const word of ['PRIVATE KEY', 'postgres://', 'postgresql://']) assert.ok(!reported.includes(word), word);
    });

    it('is answered to many at once, and to GET', async () => {
      const all = await Promise.all(Array.from({ length: 40 }, system));
      for (const body of all) assert.deepEqual(body.retention, all[0].retention);
      const headers = { 'x-admin-secret': ADMIN_SECRET };
      const { status, body } = await app.send('/getSystem', undefined, { method: 'GET', headers });
      assert.deepEqual([status, body.service.label], [200, 'staging']);
    });

    it('is 401 without a credential and for an API key', async () => {
      const { apiKey } = await Creator.of(app);
      for (const credential of [{}, { apiKey }, { adminSecret: 'wrong' }]) {
        const { status, body } = await app.send('/getSystem', credential);
        assert.deepEqual([status, body], [401, { success: false, error: 'Unauthorized' }]);
      }
    });
  });

describe('getSystem', () => {
  it('shows the certificate in use, also after its replacement', async (test) => {
    const app = await appFor(test, 'sqlite');
    const certificate = async () => (await app.admin('/getSystem')).body.certificate;
    const first = await certificate();
    const file = join(app.directory, 'tls-cert.pem');
    assert.deepEqual(first.trust, { file, pem: readFileSync(file, 'utf8') });
    assert.deepEqual(first.names, ['localhost', '127.0.0.1', '::1']);
    assert.equal(first.selfSigned, true);
    assert.equal(first.daysLeft, Math.floor((Date.parse(first.endsAt) - app.clock.now()) / DAY_MS));

    const other = await certificateIn('other-', app.clock.now() - 100 * DAY_MS);
    writeFileSync(join(app.directory, 'tls-key.pem'), other.key);
    writeFileSync(join(app.directory, 'tls-cert.pem'), other.certificate);
    assert.deepEqual(await certificate(), first, 'what lies in the files is not in use yet');
    app.reload();
    const second = await certificate();
    assert.equal(second.trust.pem, other.certificate);
    assert.equal(second.daysLeft, first.daysLeft - 100);
    app.clock.move(second.daysLeft * DAY_MS + MINUTE_MS);
    assert.ok((await certificate()).daysLeft <= 0);
    app.clock.move(2 * DAY_MS);
    assert.ok((await certificate()).daysLeft < 0);
  });

  it("states that a certificate is the operator's own", async (test) => {
    const { certificateFile, keyFile, startsAt, endsAt } = await certificateIn('own-', Date.now());
    const app = await appFor(test, 'sqlite', {
      LATCHKEY_TLS_CERT_FILE: certificateFile,
      LATCHKEY_TLS_KEY_FILE: keyFile,
    });
    const { certificate } = (await app.admin('/getSystem')).body;
    assert.deepEqual([certificate.selfSigned, certificate.trust], [false, null]);
    assert.equal(certificate.endsAt, new Date(endsAt).toISOString());
    assert.equal(certificate.validFrom, new Date(startsAt).toISOString());
  });

  it('has no certificate behind a proxy for HTTPS, and no countries without a source', async (test) => {
    const app = await startBehindProxy('sqlite');
    test.after(() => app.stop());
    const { status, body } = await sendFrom(app, '203.0.113.9', '/getSystem', { adminSecret: ADMIN_SECRET });
    assert.deepEqual([status, body.certificate], [200, null]);
    assert.deepEqual(body.countries, { header: null, file: null, fileBuiltAt: null });
  });

  it('is answered without a console', async (test) => {
    const app = await appFor(test, 'sqlite', { LATCHKEY_CONSOLE: 'off' });
    const { status, body } = await app.admin('/getSystem');
    assert.deepEqual([status, body.service.label], [200, null]);
  });
});
