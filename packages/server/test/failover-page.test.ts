/** docs/failover.md says what a pooler in between has to keep; this keeps it true. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { postgresDifferences } from '../src/storage/engine-differences.ts';
import { connectionOptions, LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../src/storage/postgres-connection.ts';

const page = readFileSync(new URL('../../../docs/failover.md', import.meta.url), 'utf8');

describe('docs/failover.md', () => {
  it('gives the role every setting that a session gets without PgBouncer, and no other', () => {
    const said = [...page.matchAll(/^alter role latchkey set (\w+) = '([^']*)';$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const { sessionSettings, writingSettings } = postgresDifferences;
    const set = [...writingSettings, ...sessionSettings].map((setting) => setting.split('='));
    const options = connectionOptions(postgresDifferences, STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS);
    const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;
    const timed = timeouts.map((name) => [name, `${Number(options[name]) / 1000}s`]);
    assert.deepEqual(said, [...set, ...timed]);
  });

  it('tells PgBouncer to ignore each parameter that connections send', () => {
    const [, ignored = ''] = /^ignore_startup_parameters = (\S+)$/m.exec(page) ?? [];
    assert.deepEqual(ignored.split(','), [
      'options',
      ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
    ]);
  });
});
