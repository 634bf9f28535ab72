/** docs/operators/failover.md lists the promises that a pooler must keep; this test keeps the list true. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  connectionOptions,
  LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from '../src/storage/postgres/postgres-connection.ts';
import { postgresDifferences } from '../src/storage/postgres/postgres-differences.ts';

const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;
const page = readFileSync(new URL('../../../docs/operators/failover.md', import.meta.url), 'utf8');

describe('docs/operators/failover.md', () => {
  it('lists every setting that the service requires of its sessions', () => {
    const [, table = ''] = /^## Settings of each session$(.*?)^## /ms.exec(page) ?? [];
    const { sessionSettings, writingSettings } = postgresDifferences;
    const set = [...writingSettings, ...sessionSettings].map((setting) => setting.split('=')[0]!);
    for (const name of [...set, ...TIMEOUTS]) assert.ok(table.includes(`\`${name}\``), name);
    const options = connectionOptions(STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS);
    const timeouts = TIMEOUTS.map((name) => `${Number(options[name]) / 1000} s`);
    assert.ok(table.includes(`| ${timeouts.join(', ')};`), timeouts.join());
  });

  it('has PgBouncer ignore each parameter that connections send', () => {
    const [, ignored = ''] = /^ignore_startup_parameters = (\S+)$/m.exec(page) ?? [];
    assert.deepEqual(ignored.split(','), ['options', ...TIMEOUTS]);
  });
});
