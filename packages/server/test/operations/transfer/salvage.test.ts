/**
 * Salvage writes the readable rows of a damaged SQLite file as lines, and an import into an empty database accepts
 * them.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it, type TestContext } from 'node:test';
import { randomOf } from '../../faults/random.ts';
import { type Ended, environmentOf, runCommandHere } from '../../support/command.ts';
import { damage, damageRows, type Page, pagesOf } from '../../support/damaged-file.ts';
import { freshDatabase } from '../../support/databases.ts';

const LICENSES = 1_500;
const NOTES = 600;
const AT = '2030-01-01T00:00:00.000Z';

const keyOf = (index: number) => `KEY-${String(index * 7919).padStart(12, '0')}`;

/** Lines of every kind, with enough of each to fill many pages of its table. */
function linesOfAll(): object[] {
  const licenses = Array.from({ length: LICENSES }, (_, index) => keyOf(index));
  return [
    { kind: 'product', productId: 'app', name: 'App', creatorId: 'ada', createdAt: AT, updatedAt: AT },
    ...Array.from({ length: 200 }, (_, index) => ({
      kind: 'variant',
      productId: 'app',
      name: `variant ${index} ${'x'.repeat(60)}`,
      licenseType: 'per-machine',
      maxMachines: 3,
    })),
    ...Array.from({ length: 200 }, (_, index) => ({
      kind: 'code',
      code: `CODE${index}`,
      productId: 'app',
      trialDays: 14,
    })),
    ...licenses.map((licenseKey, index) => ({
      kind: 'license',
      licenseKey,
      email: `a${index}@example.com`,
      productId: 'app',
    })),
    ...licenses.flatMap((licenseKey) =>
      ['one', 'two'].map((fingerprint) => ({
        kind: 'machine',
        licenseKey,
        fingerprint: `${fingerprint}-of-a-machine`,
      })),
    ),
    ...licenses.slice(0, NOTES).map((licenseKey, index) => ({
      kind: 'note',
      licenseKey,
      text: `A note, the ${index}th. ${'Called again. '.repeat(20)}`,
      at: AT,
      by: 'operator',
      noteId: `note-${index}`,
    })),
    ...licenses.slice(0, 400).map((licenseKey, index) => ({
      kind: 'redemption',
      code: `CODE${index % 200}`,
      email: `a${index}@example.com`,
      licenseKey,
      redeemedAt: AT,
    })),
    ...Array.from({ length: 100 }, (_, index) => ({
      kind: 'order',
      studioOrderId: `order-${index}`,
      buyerEmail: 'school@example.com',
      buyerUserId: 'school',
      courseId: 'course',
      courseSlug: 'course',
      courseTitle: 'A course',
      creatorId: 'ada',
      pricePerSeat: 100,
      totalAmount: 200,
      currency: 'eur',
      createdAt: AT,
      externalOrderId: null,
      purchaseId: null,
      seats: [1, 2].map((seatNumber) => ({ code: seatCode(index * 2 + seatNumber), seatNumber })),
    })),
  ];
}

const seatCode = (number: number) => `STUDIO-AAAA-${number.toString(36).toUpperCase().padStart(4, 'Z')}`;

const root = mkdtempSync(join(tmpdir(), 'latchkey-salvage-'));
const whole = join(root, 'whole.db');
let exportedLines: readonly string[] = [];

/** The lines of a file between its first and its last one. */
const linesIn = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1);
const kindOf = (line: string) => (JSON.parse(line) as { kind: string }).kind;
const ofKind = (lines: readonly string[], kind: string) => lines.filter((line) => kindOf(line) === kind);

/** A copy of the whole file, in a directory of its own. */
function copyOfWhole(test: TestContext): string {
  const directory = mkdtempSync(join(root, 'copy-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'latchkey.db');
  copyFileSync(whole, file);
  return file;
}

interface Salvage extends Ended {
  readonly lines: readonly string[];
  readonly file: string;
}

/** Salvages a file, which must not be changed by it, nor anything made beside it. */
async function salvaged(file: string): Promise<Salvage> {
  const target = `${dirname(file)}.jsonl`;
  rmSync(target, { force: true });
  const state = () => {
    const names = readdirSync(dirname(file)).filter((name) => !name.endsWith('-shm'));
    return names.map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(dirname(file), name)))
          .digest('hex')}`,
    );
  };
  const earlier = state();
  const ended = await runCommandHere(['salvage', file, target]);
  assert.deepEqual(state(), earlier, 'the damaged file was changed');
  return { ...ended, lines: existsSync(target) ? linesIn(target) : [], file: target };
}

/** Imports lines into an empty database; all of them must be taken. */
async function imported(test: TestContext, file: string): Promise<string> {
  const { database } = await freshDatabase('sqlite', test);
  const { code, out, err } = await runCommandHere(['import', file], environmentOf(database));
  assert.equal(code, 0, err);
  return out;
}

before(async () => {
  const { database } = await freshDatabase('sqlite');
  assert.ok(database.engine === 'sqlite');
  const given = join(root, 'given.jsonl');
  writeFileSync(
    given,
    linesOfAll()
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const taken = await runCommandHere(['import', given], environmentOf(database));
  assert.equal(taken.code, 0, taken.err.slice(0, 1_000));
  const target = join(root, 'export.jsonl');
  assert.equal((await runCommandHere(['export', target], environmentOf(database))).code, 0);
  exportedLines = linesIn(target);
  copyFileSync(database.file, whole);
});

describe('salvage', () => {
  it('writes the same as export for a sound file', async (test) => {
    const { code, lines, err } = await salvaged(copyOfWhole(test));
    assert.equal(code, 0, err);
    assert.deepEqual([...lines].sort(), [...exportedLines].sort());
    assert.equal([...err.matchAll(/: \d+ lines?; 0 rows could not be read\.$/gm)].length, 9);
  });

  it('says of each table how many rows it could not read, and writes all others', async (test) => {
    const file = copyOfWhole(test);
    assert.ok(damageRows(file, 'license') > 20);
    const { code, lines, err } = await salvaged(file);
    assert.equal(code, 0, err);
    const kept = ofKind(lines, 'license').length;
    assert.ok(kept > LICENSES / 4 && kept < LICENSES, `${kept}`);
    assert.match(err, new RegExp(`^license: ${kept} lines; ${LICENSES - kept} rows could not be read\\.$`, 'm'));
    assert.match(
      err,
      new RegExp(`^machine: ${2 * kept} lines; 0 rows could not be read, ${2 * (LICENSES - kept)} rows left out `, 'm'),
    );
    assert.ok(lines.every((line) => exportedLines.includes(line)));
    assert.match(await imported(test, (await salvaged(file)).file), new RegExp(`license ${kept}, machine ${2 * kept}`));
  });

  it('counts rows by the indexes, and says so if none can be read', async (test) => {
    const file = copyOfWhole(test);
    const indexes = new DatabaseSync(file);
    const names = indexes
      .prepare("select name from pragma_index_list('license')")
      .all()
      .map(({ name }) => String(name));
    indexes.close();
    damageRows(file, 'license');
    for (const name of names) damage(file, pagesOf(file, name));
    const { code, err, lines } = await salvaged(file);
    assert.equal(code, 0, err);
    assert.match(err, /^license: \d+ lines; an unknown number of rows could not be read\.$/m);
    assert.ok(ofKind(lines, 'license').length > LICENSES / 4);
  });

  it('goes on behind a page that leads to many others', async (test) => {
    const file = copyOfWhole(test);
    const pages = pagesOf(file, 'activation');
    const inner = pages.filter(({ kind }) => kind === 'internal');
    const leaves = pages.filter(({ kind }) => kind === 'leaf');
    damage(file, [...inner.slice(1), ...leaves.slice(0, 1)]);
    const { code, err } = await salvaged(file);
    assert.equal(code, 0, err);
    assert.match(err, /^machine: \d+ lines; [1-9]\d* rows could not be read\.$/m);
    const lost = copyOfWhole(test);
    damage(lost, pagesOf(lost, 'activation'));
    const nothing = await salvaged(lost);
    assert.match(nothing.err, new RegExp(`^machine: 0 lines; ${2 * LICENSES} rows could not be read\\.$`, 'm'));
    assert.deepEqual(ofKind(nothing.lines, 'license').length, LICENSES);
  });

  it('finds notes by another index where one is damaged, and leaves out those alone that cannot be read', async (test) => {
    const file = copyOfWhole(test);
    damage(file, pagesOf(file, 'event_by_note'));
    const other = await salvaged(file);
    assert.match(other.err, new RegExp(`^note: ${NOTES} lines; 0 rows could not be read\\.$`, 'm'));
    assert.ok(damageRows(file, 'event') > 10);
    const { err, lines } = await salvaged(file);
    const kept = ofKind(lines, 'note').length;
    assert.ok(kept > 0 && kept < NOTES, err);
    assert.match(err, new RegExp(`^note: ${kept} lines; ${NOTES - kept} rows could not be read\\.$`, 'm'));
  });

  it('reads the log beside the file, and leaves it there', async (test) => {
    const { database } = await freshDatabase('sqlite', test);
    assert.ok(database.engine === 'sqlite');
    const writer = new DatabaseSync(database.file);
    writer.exec("pragma wal_autocheckpoint = 0; insert into product values ('late', 'Late', 'ada', 'active', '', '')");
    const file = copyOfWhole(test);
    for (const suffix of ['', '-wal']) copyFileSync(`${database.file}${suffix}`, `${file}${suffix}`);
    writer.close();
    const { code, err, lines } = await salvaged(file);
    assert.equal(code, 0, err);
    assert.equal((JSON.parse(lines[0] ?? '{}') as { productId?: string }).productId, 'late');
  });

  it('writes nothing that was not there, and ends, whichever pages are damaged', async (test) => {
    const known = new Set(exportedLines);
    const file = copyOfWhole(test);
    for (let seed = 1; seed <= 25; seed += 1) {
      const random = randomOf(seed);
      copyFileSync(whole, file);
      // The first page has the list of tables, and the file's header.
      const pages = Math.floor(readFileSync(file).length / 4_096) - 1;
      const damaged: Page[] = Array.from({ length: 1 + random(40) }, () => ({
        number: 2 + random(pages),
        bytes: 4_096,
      }));
      const noise = seed % 3;
      damage(file, damaged, ({ bytes }) =>
        noise === 0
          ? Buffer.alloc(bytes)
          : Buffer.from(Array.from({ length: bytes }, () => (noise === 1 ? 0xa5 : random(256)))),
      );
      const { code, lines, err } = await salvaged(file);
      if (code !== 0) {
        assert.match(err, /^The list of tables in .* cannot be read/m, `seed ${seed}`);
        continue;
      }
      for (const line of lines)
        if (!known.has(line)) assert.match(kindOf(line), /^(order|note)$/, `seed ${seed}: ${line}`);
    }
  });

  it('says of a file that is no database, or not there, that nothing can be brought out', async (test) => {
    const file = copyOfWhole(test);
    writeFileSync(file, 'x'.repeat(10_000));
    const { code, err } = await salvaged(file);
    assert.equal(code, 1);
    assert.match(err, /^The list of tables in .*latchkey\.db cannot be read \(file is not a database\)/m);
    assert.deepEqual(readdirSync(dirname(file)), [basename(file)]);
    const absent = await runCommandHere(['salvage', `${file}.not`, `${file}.jsonl`]);
    assert.match(absent.err, /^There is no file /m);
  });
});
