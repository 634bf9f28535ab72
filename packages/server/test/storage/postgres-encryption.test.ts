/** The service warns about connections to PostgreSQL that others on the network can read. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { databaseWarnings } from '../../src/storage/opening/open.ts';
import { processEnvironment } from '../support/process-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const warningsOf = (url: string) => databaseWarnings({ engine: 'postgres', url });

/** Sets a variable that the driver reads, until the test has ended. */
function setVariable(test: TestContext, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  test.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

describe('connections to PostgreSQL', () => {
  for (const host of ['db.example.com', '192.0.2.7', '[2001:db8::7]', 'localhost.example.com', '128.0.0.1'])
    it(`are warned about without TLS to another machine: ${host}`, () => {
      for (const parameters of ['', '?sslmode=disable', '?lock_timeout=200']) {
        const [warning, ...others] = warningsOf(`postgres://ada:hunter2@${host}:5432/latchkey${parameters}`);
        assert.deepEqual(others, []);
        assert.ok(
          warning?.startsWith(`the connections to PostgreSQL on ${host.replace(/[[\]]/g, '')} are not encrypted`),
        );
        assert.doesNotMatch(warning ?? '', /hunter2|ada@/);
      }
    });

  for (const url of [
    'postgres://localhost/latchkey',
    'postgres://db.localhost:5432/latchkey',
    'postgres://127.0.0.1/latchkey',
    'postgres://127.8.7.6/latchkey',
    'postgres://[::1]:5432/latchkey',
    'postgres://[::ffff:127.0.0.1]/latchkey',
    'postgres://%2Fvar%2Frun%2Fpostgresql/latchkey',
    'postgres:///latchkey?host=/var/run/postgresql',
    'postgres:///latchkey',
  ])
    it(`are not warned about on this machine: ${url}`, () => {
      assert.deepEqual(warningsOf(url), []);
    });

  for (const mode of ['require', 'verify-ca', 'verify-full', 'no-verify'])
    it(`are not warned about with TLS: sslmode=${mode}`, () => {
      assert.deepEqual(warningsOf(`postgres://db.example.com/latchkey?sslmode=${mode}`), []);
    });

  it('are judged by the environment where the URL is silent', (test) => {
    setVariable(test, 'PGHOST', 'db.example.com');
    assert.match(warningsOf('postgres:///latchkey').join(), /on db\.example\.com are not encrypted/);
    setVariable(test, 'PGSSLMODE', 'verify-full');
    assert.deepEqual(warningsOf('postgres:///latchkey'), []);
  });

  it('are warned about once, in the log of the service, before it connects', async (test) => {
    const directory = temporaryFolder(test);
    const service = spawn(process.execPath, [MAIN], {
      env: {
        ...processEnvironment,
        PORT: '0',
        LATCHKEY_DATA_DIR: directory,
        DATABASE_URL: 'postgres://ada:hunter2@database.invalid/latchkey',
        LATCHKEY_DATABASE_WAIT: 'off',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [log, errors] = await Promise.all([text(service.stdout), text(service.stderr), once(service, 'exit')]);
    const notices = log
      .split('\n')
      .filter((line) => line.includes('not encrypted'))
      .map((line) => JSON.parse(line));
    assert.equal(notices.length, 1);
    assert.partialDeepStrictEqual(notices[0], { event: 'start.noticed', level: 40 });
    assert.match(errors, /PostgreSQL cannot be reached/);
    assert.doesNotMatch(`${log}${errors}`, /hunter2/);
  });
});
