/**
 * Every statement that changes rows of a recorded table takes a RecordedTx, which the compiler lets only the recorder
 * make. The test finds these statements by their SQL.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tables } from '../../src/app.ts';
import '../../src/runtime/service/server.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts';
import { statementsOfService } from '../support/service-statements.ts';
import { sources } from './sources.ts';

const recordedTables = tables.filter(({ changes }) => changes === 'recorded' || 'recordedBut' in changes);

/** Statements that change recorded tables and record nothing, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = Object.assign(
  {},
  ...tables.map(({ changes }) => (typeof changes === 'object' && 'recordedBut' in changes ? changes.recordedBut : {})),
);

/** The recorded tables that a statement writes. */
function writtenBy(text: string): string[] {
  return [...text.matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/g)].flatMap(([, table]) =>
    recordedTables.some(({ name }) => name === table) ? [table as string] : [],
  );
}

const writes = statementsOfService()
  .map((statement) => ({
    name: statement.name,
    tables: writtenBy(statement.text(sqliteDialect)),
    needsRecorder: 'needsRecorder' in statement,
  }))
  .filter(({ tables, needsRecorder }) => tables.length > 0 || needsRecorder);

describe('every change that is recorded', () => {
  it('is written by statements that were found, and exceptions are for some of them', () => {
    const written = new Set(writes.flatMap(({ tables }) => tables));
    assert.deepEqual([...written].sort(), recordedTables.map(({ name }) => name).sort());
    const names = writes.map(({ name }) => name);
    for (const name of Object.keys(EXEMPT)) assert.ok(names.includes(name), `${name} writes nothing that is recorded`);
  });

  for (const { name, tables, needsRecorder } of writes)
    it(`by ${name} takes the recorder's transaction, unless a reason says why not`, () => {
      assert.equal(needsRecorder, !(name in EXEMPT), 'wrap it in recorded(), or give the reason in tables.ts');
      assert.notDeepEqual(tables, [], 'it writes no recorded table');
    });

  it('runs in a transaction that the recorder alone makes', () => {
    const makers = sources.filter(({ code }) => /\bas (?:unknown as )?RecordedTx\b|<RecordedTx>/.test(code));
    assert.deepEqual(
      makers.map(({ path }) => path),
      ['platform/events/record.ts'],
    );
  });
});
