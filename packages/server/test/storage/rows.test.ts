import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NamedStatement } from '../../src/storage/contract/list.ts';
import { type Statement, statement, tableOf, type Value } from '../../src/storage/contract/storage.ts';
import { engines } from '../support/databases.ts';
import { insertCounter, updateCounter } from './tables.ts';
import { openedTestStorage } from './test-storage.ts';

const insertSample = statement('test_sample.insert', 'insert into sample (id, label, amount) values ($1, $2, $3)');

const insertReturning = statement(
  'test_sample.insert_returning',
  'insert into sample (id, label, amount) values ($1, $2, $3) returning id, label, amount',
);

const findSample = statement('test_sample.find', 'select id, label, amount from sample where id = $1');

const listSamples = statement(
  'test_sample.list',
  'select id, label, amount from sample where id between $1 and $2 order by id',
);

const sumSamples = statement(
  'test_sample.sum',
  'select count(*) as number, sum(amount) as total, max(amount) as most from sample where id between $1 and $2',
);

const halveSample = statement('test_sample.halve', 'select amount / $2 as half from sample where id = $1');

const repeatParameters = statement(
  'test_sample.repeat',
  'select id from sample where id = $1 and amount = $1 and id <> $2',
);

const findNamed = new NamedStatement(
  'test_sample.named',
  ['other', 'high', 'low'],
  () => 'select id from sample where id between :low and :high and id > :low',
);

const deleteSamples = statement('test_sample.delete', 'delete from sample where id between $1 and $2');

const unfold = statement(
  'test_table.unfold',
  (dialect) => `select label, amount from ${dialect.table('$1', { label: 'text', amount: 'integer' })} as given`,
);

const insertTable = statement(
  'test_table.insert',
  (dialect) =>
    `insert into sample (id, label, amount)
     select id, label, amount from ${dialect.table('$1', { id: 'integer', label: 'text', amount: 'integer' })} as given`,
);

const findTable = statement(
  'test_table.find',
  (dialect) =>
    `select sample.id, sample.amount from ${dialect.table('$1', { wanted: 'text' })} as given
     join sample on sample.label = given.wanted order by sample.id`,
);

const texts = [
  '',
  ' ',
  "it's",
  '"double"',
  'back\\slash',
  'semi; -- colon',
  '$1 ?1 :a @b %s',
  'naïve café',
  '日本語',
  '👩‍👩‍👧 family',
  'line\nbreak\ttab',
  '[1, null]',
  'null',
  '0123',
];

for (const engine of engines) {
  describe(`rows on ${engine}`, () => {
    const test = openedTestStorage(engine);

    const write = (which: Statement, ...values: Value[]) => test.storage.transaction((tx) => tx.run(which, ...values));

    it('are plain objects of text, safe integers and null, exactly as written', async () => {
      const largest = Number.MAX_SAFE_INTEGER;
      const rows = [
        { id: 1, label: null, amount: null },
        { id: 2, label: 'two', amount: 0 },
        { id: 3, label: 'three', amount: largest },
        { id: 4, label: 'four', amount: -largest },
      ];
      for (const { id, label, amount } of rows) assert.equal(await write(insertSample, id, label, amount), 1);
      const found = await test.storage.read((sql) => sql.all<object>(listSamples, 1, 4));
      assert.deepStrictEqual(found, rows);
      for (const row of found) assert.equal(Object.getPrototypeOf(row), Object.prototype);
      const first = await test.storage.read((sql) => sql.first<object>(findSample, 3));
      assert.deepStrictEqual(first, rows[2]);
      assert.equal(Object.getPrototypeOf(first), Object.prototype);
    });

    it('keep text to the letter', async () => {
      for (const [index, text] of texts.entries()) await write(insertSample, 100 + index, text, null);
      const found = await test.storage.read((sql) => sql.all<{ label: string }>(listSamples, 100, 199));
      assert.deepEqual(
        found.map((row) => row.label),
        texts,
      );
    });

    it('come back from a write that returns them', async () => {
      const row = await test.storage.transaction((tx) => tx.first(insertReturning, 200, 'returned', 5));
      assert.deepStrictEqual(row, { id: 200, label: 'returned', amount: 5 });
    });

    it('are an empty list, and undefined as the first, when there are none', async () => {
      assert.deepStrictEqual(await test.storage.read((sql) => sql.all(listSamples, 900, 999)), []);
      assert.equal(await test.storage.read((sql) => sql.first(findSample, 900)), undefined);
    });

    it('count and sum to numbers, and divide as integers do', async () => {
      await write(insertSample, 300, 'a', 5);
      await write(insertSample, 301, 'b', 7);
      assert.deepStrictEqual(await test.storage.read((sql) => sql.first(sumSamples, 300, 301)), {
        number: 2,
        total: 12,
        most: 7,
      });
      assert.deepStrictEqual(await test.storage.read((sql) => sql.first(sumSamples, 900, 999)), {
        number: 0,
        total: null,
        most: null,
      });
      assert.deepStrictEqual(await test.storage.read((sql) => sql.first(halveSample, 300, 2)), { half: 2 });
    });

    it('that hold a number beyond the safe integers are refused, not rounded', async () => {
      await write(insertSample, 400, 'a', Number.MAX_SAFE_INTEGER);
      await write(insertSample, 401, 'b', Number.MAX_SAFE_INTEGER);
      await assert.rejects(
        test.storage.read((sql) => sql.first(sumSamples, 400, 401)),
        /test_sample\.sum: /,
      );
      assert.equal((await test.storage.read((sql) => sql.all(listSamples, 400, 401))).length, 2);
    });

    it('are found by a parameter used twice', async () => {
      await write(insertSample, 500, 'same', 500);
      assert.deepStrictEqual(await test.storage.read((sql) => sql.first(repeatParameters, 500, 1)), { id: 500 });
    });

    it('are found by values with names, in any order, and twice', async () => {
      await write(insertSample, 510, 'low', 1);
      await write(insertSample, 511, 'high', 2);
      const found = test.storage.read((sql) => findNamed.all(sql, { low: 510, high: 511, other: undefined }));
      assert.deepStrictEqual(await found, [{ id: 511 }]);
      const text = () => 'select id from sample where id = :lost';
      assert.throws(() => new NamedStatement('test_sample.lost', ['id'], text), /test_sample\.lost has the value lost/);
    });

    it('are counted by the write that changes them', async () => {
      await write(insertSample, 600, 'a', 1);
      await write(insertSample, 601, 'b', 1);
      assert.equal(await write(deleteSamples, 600, 699), 2);
      assert.equal(await write(deleteSamples, 600, 699), 0);
    });
  });

  describe(`values on ${engine}`, () => {
    const test = openedTestStorage(engine);

    const unbindable: [string, unknown][] = [
      ['undefined', undefined],
      ['a boolean', true],
      ['a bigint', 1n],
      ['an object', { secret: 'swordfish' }],
      ['a fraction', 0.5],
      ['a number beyond the safe integers', Number.MAX_SAFE_INTEGER + 1],
      ['NaN', Number.NaN],
      ['text with NUL', 'sword\0fish'],
    ];
    for (const [kind, value] of unbindable) {
      it(`refuses ${kind}, naming the statement and never the value`, async () => {
        const isNamed = (error: Error) =>
          error instanceof TypeError && /^test_counter\.\w+: \$2 /.test(error.message) && !/fish/.test(error.message);
        await assert.rejects(
          test.storage.transaction((tx) => tx.run(insertCounter, 'refused', value as Value)),
          isNamed,
        );
        await assert.rejects(
          test.storage.read((sql) => sql.all(updateCounter, 'refused', value as Value)),
          isNamed,
        );
      });
    }

    it('are not written by a read', async () => {
      assert.equal(await test.storage.read(async (sql) => 'run' in sql), false);
      assert.equal(await test.storage.transaction(async (tx) => 'run' in tx), true);
    });
  });

  describe(`a table parameter on ${engine}`, () => {
    const test = openedTestStorage(engine);

    it('unfolds to rows in order: every text, null and the largest integers', async () => {
      const amounts = [0, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, null];
      const rows = [...texts, null].flatMap((label) => amounts.map((amount) => ({ label, amount })));
      const given = tableOf(rows.map(({ label, amount }) => [label, amount]));
      assert.deepStrictEqual(await test.storage.read((sql) => sql.all(unfold, given)), rows);
    });

    it('unfolds to nothing when it is empty', async () => {
      assert.deepStrictEqual(await test.storage.read((sql) => sql.all(unfold, tableOf([]))), []);
    });

    it('inserts many rows and finds many rows with one statement', async () => {
      const rows = Array.from({ length: 1000 }, (_, id) => [id, `label ${id}`, id * 2]);
      const inserted = await test.storage.transaction((tx) => tx.run(insertTable, tableOf(rows)));
      assert.equal(inserted, 1000);
      const wanted = tableOf([['label 7'], ['label 999'], ['no such label']]);
      assert.deepStrictEqual(await test.storage.read((sql) => sql.all(findTable, wanted)), [
        { id: 7, amount: 14 },
        { id: 999, amount: 1998 },
      ]);
    });
  });
}
