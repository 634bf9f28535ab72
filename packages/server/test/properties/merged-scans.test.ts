/** Several lists read as one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type IndexScan, mergeScans } from '../../src/platform/endpoint/merged-scans.ts';
import type { Sql } from '../../src/storage/contract/storage.ts';

interface Row {
  readonly level: number;
  readonly id: number;
}

const order = (one: Row, other: Row) => other.level - one.level || other.id - one.id;
const NOWHERE = {} as Sql;

/** A list that counts the rows read from it. */
function scanOf(rows: readonly Row[], begin: Row | undefined, read: { rows: number }): IndexScan<Row> {
  const sorted = rows.toSorted(order);
  return async (_sql, after = begin, limit) => {
    const found = sorted.filter((row) => after === undefined || order(row, after) > 0).slice(0, limit);
    read.rows += found.length;
    return found;
  };
}

/** Rows in several lists, each row in one of them. */
const lists = fc
  .array(fc.record({ level: fc.integer({ min: 1, max: 4 }), list: fc.nat(6) }), { maxLength: 60 })
  .map((rows) => {
    const made = Array.from({ length: 7 }, (): Row[] => []);
    for (const [id, { level, list }] of rows.entries()) made[list]?.push({ level, id });
    return made;
  });

describe('lists that are read as one', () => {
  it('give every row once, in order, page after page, however large the pages are', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 9 }), async (rows, limit) => {
        const pages: Row[] = [];
        let begin: Row | undefined;
        for (;;) {
          const scans = rows.map((each) => scanOf(each, begin, { rows: 0 }));
          const page = await mergeScans(NOWHERE, scans, order, limit);
          assert.ok(page.length <= limit);
          pages.push(...page);
          begin = page.at(-1);
          if (page.length < limit) break;
        }
        assert.deepEqual(pages, rows.flat().toSorted(order));
      }),
    );
  });

  it('give each row that was there once, also while others are added between pages', async () => {
    await fc.assert(
      fc.asyncProperty(lists, lists, fc.integer({ min: 1, max: 5 }), async (rows, added, limit) => {
        const present = rows.flat().toSorted(order);
        const seen: Row[] = [];
        let begin: Row | undefined;
        for (let number = 0; ; number++) {
          // A row of each of the others is added before each page.
          const more = added.map((each) => each.slice(0, number).map(({ level, id }) => ({ level, id: 1000 + id })));
          const scans = rows.map((each, index) => scanOf([...each, ...(more[index] ?? [])], begin, { rows: 0 }));
          const page = await mergeScans(NOWHERE, scans, order, limit);
          seen.push(...page);
          begin = page.at(-1);
          if (page.length < limit) break;
        }
        assert.deepEqual(
          seen.filter(({ id }) => id < 1000),
          present,
        );
      }),
    );
  });

  it('are read little further than a page needs', async () => {
    const read = { rows: 0 };
    const rows = Array.from({ length: 30 }, (_, list) =>
      Array.from({ length: 200 }, (_each, index) => ({ level: 1, id: index * 30 + list })),
    );
    const page = await mergeScans(
      NOWHERE,
      rows.map((each) => scanOf(each, undefined, read)),
      order,
      100,
    );
    assert.equal(page.length, 100);
    assert.ok(read.rows <= 300, `${read.rows} rows`);
  });
});
