/** Import reads the output of export, and a file from elsewhere is imported completely, line by line, or not at all. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { tables } from '../../../src/app.ts';
import { LINE_KINDS } from '../../../src/operations/transfer/format.ts';
import { KINDS } from '../../../src/operations/transfer/kinds.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { isExported } from '../../../src/storage/contract/table.ts';
import { allRows } from '../../support/all-rows.ts';
import { ADMIN_SECRET, type Answer, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { type Ended, environmentOf, runCommand, runCommandHere, runProgram } from '../../support/command.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { emptyTables } from '../../support/empty-tables.ts';
import { appFor, freshFor, served } from '../../support/for-test.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = (database: Database, ...args: string[]): Promise<Ended> => runCommandHere(args, environmentOf(database));

/** The lines of an export except the first, which contains the time. */
async function exported(test: TestContext, database: Database): Promise<string[]> {
  const file = join(temporaryFolder(test), 'export.jsonl');
  const { code, err } = await run(database, 'export', file);
  assert.equal(code, 0, err);
  return readFileSync(file, 'utf8').split('\n').slice(1, -1);
}

/** Writes lines to a file: texts as they are, anything else as JSON. */
function fileOf(test: TestContext, lines: readonly unknown[]): string {
  const file = join(temporaryFolder(test), 'given.jsonl');
  writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return file;
}

/** Lines of a file, each with the reason for which it is refused, or null when it is taken. */
type GivenLines = readonly (readonly [line: unknown, refused: RegExp | null])[];

function fileOfGiven(test: TestContext, lines: GivenLines): string {
  return fileOf(
    test,
    lines.map(([line]) => line),
  );
}

/** Asserts that an import said of each line whether and why it was refused. */
function assertRefused(err: string, lines: GivenLines): void {
  const said = new Map(refusals(err));
  for (const [index, [, reason]] of lines.entries())
    if (reason === null) assert.equal(said.get(index + 1), undefined, `line ${index + 1}`);
    else assert.match(said.get(index + 1) ?? '', reason, `line ${index + 1}`);
}

/** The refusals that an import has reported: the number of the line and the reason. */
function refusals(err: string): (readonly [line: number, reason: string])[] {
  return [...err.matchAll(/^Line (\d+) refused: (.*)\.$/gm)].map(([, line, reason = '']) => [Number(line), reason]);
}

/** Every term that a license has itself, but for those of named users. */
const TERMS = {
  ...{ graceDays: 7, updatesUntil: '2031-05-31T23:59:59.999Z', maxVersion: '2.3', releaseIdleDays: 30 },
  features: { layers: 20, print: null, batch: { value: true, until: '2031-01-01T00:00:00.000Z' } },
  metadata: { crm: 'A-1', ['__proto__']: 'B' },
};

const ADA = { email: 'ada@example.com', productId: 'app' };

/** A database with rows for every kind of line. */
async function filled(test: TestContext, engine: Engine): Promise<Database> {
  const database = await freshFor(test, engine);
  const fill = async (app: TestApp) => {
    const secrets = { LATCHKEY_ADMIN_SECRET: ADMIN_SECRET, LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET };
    const demo = await runProgram('scripts/demo.ts', [], {
      ...secrets,
      PORT: String(app.port),
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      LATCHKEY_DATA_DIR: app.directory,
    });
    assert.equal(demo.code, 0, demo.err);
    const key = await app.license({
      unlockedProducts: ['other', 'more'],
      bundleId: 'of the tests',
      variant: 'studio',
      maxMachines: 1,
      ...TERMS,
    });
    for (const machineFingerprint of ['one', 'two', 'three'])
      await app.send('/activate', {
        licenseKey: key,
        productId: 'app',
        machineFingerprint,
        hostname: 'Ada\u2019s "box"',
      });
    const shared = await app.license({ maxMachines: -1, maxUsers: 2 });
    for (const user of ['Ada', 'Bo'])
      await app.send('/activate', {
        licenseKey: shared,
        productId: 'app',
        machineFingerprint: `of ${user}`,
        hostname: user,
        user,
      });
    const waits = { durationStarts: 'activation', durationDays: 30 };
    assert.equal(
      (await app.webhook('/storefrontWebhook', { ...ADA, type: 'purchase.completed', ...waits })).status,
      200,
    );
    for (const text of ['Called: "it\u2019s gone".\n\tReleased it.', 'Called again.'])
      assert.equal((await app.admin('/addNote', { licenseKey: key, text })).status, 200);
    await app.admin('/revokeLicense', { licenseKey: await app.license(), reason: 'fraud' });
    const order = {
      type: 'purchase.completed',
      purchaseId: 'order-1',
      lineId: '1',
      subscriptionId: 'sub-1',
      quantity: 2,
    };
    assert.equal((await app.webhook('/storefrontWebhook', { ...ADA, ...order })).status, 200);
    await app.admin('/createProduct', { name: 'Tried', slug: 'tried', creatorId: 'ada' });
    await app.admin('/createVariant', { productId: 'tried', name: 'try', defaultTrialDays: 14, trialWithoutKey: true });
    const trial = { productId: 'tried', machineFingerprint: 'one', hostname: 'box' };
    assert.equal((await app.send('/startTrial', trial)).status, 200);
    const meters = { exports: { limit: 10, period: 'year' } };
    await app.admin('/createVariant', { productId: 'tried', name: 'metered', meters });
    const licenseKey = await app.license({
      productId: 'tried',
      variant: 'metered',
      meters: { exports: { limit: 20 } },
    });
    const { token } = (await app.send('/activate', { ...trial, licenseKey })).body;
    const use = { licenseKey, machineFingerprint: 'one', token, meter: 'exports', units: 12, requestId: 'a' };
    assert.equal((await app.send('/consume', use)).status, 200);
    await app.admin('/createDiscountCode', { code: 'Spring', trialDays: 14, maxUses: 3 });
    const redeemed = await app.send('/redeemTrialCode', { ...ADA, code: 'spring' });
    assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body));
  };
  await served(database, fill, { HOST: 'localhost' });
  return database;
}

/** The imported notes in the history of a license, the first one first. */
async function notesOf(app: TestApp, licenseKey: string) {
  const { body } = await app.admin('/getLicense', { licenseKey, history: true });
  const notes = body.history.filter(({ kind }: { kind: string }) => kind === 'note').reverse();
  return notes.map(({ at, event }: Answer['body']) => {
    assert.deepEqual(event.actor, { kind: 'command', id: 'import', keyName: null });
    assert.equal(at, event.at);
    return event.after;
  }) as { text: string; by: string; at: string; noteId?: string }[];
}

describe('export', () => {
  it('reads the tables that their descriptions name', () => {
    assert.deepEqual(
      [...LINE_KINDS.map((kind) => KINDS[kind].table), 'seat'].sort(),
      tables
        .filter(isExported)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('makes a file for its owner alone, and replaces none', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const file = join(temporaryFolder(test), 'export.jsonl');
    assert.equal((await run(database, 'export', file)).code, 0);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const before = readFileSync(file, 'utf8');
    const again = await run(database, 'export', file);
    assert.equal(again.code, 1);
    assert.match(again.err, /already exists; an export never replaces a file\.$/m);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  for (const engine of engines)
    it(`of ${engine} goes to standard output while the service goes on`, async (test) => {
      const app = await appFor(test, engine);
      const key = await app.license();
      const { code, out, err } = await runCommand(['export', '-'], environmentOf(app.database));
      assert.equal(code, 0, err);
      const lines = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual([lines[0].kind, lines[0].version], ['latchkey', 1]);
      assert.equal(lines.find(({ kind }) => kind === 'license').licenseKey, key);
      assert.deepEqual(lines.at(-1), { kind: 'end', lines: 1 });
    });
});

for (const from of engines)
  for (const to of engines.filter((each) => each !== from))
    describe(`from ${from} to ${to}`, () => {
      it('everything comes over, and once only', async (test) => {
        const source = await filled(test, from);
        const lines = await exported(test, source);
        const kinds = new Set(lines.map((line) => JSON.parse(line).kind));
        assert.deepEqual([...kinds], [...LINE_KINDS, 'end']);
        const waiting = lines.flatMap((line) => JSON.parse(line).waiting ?? []);
        assert.deepEqual(waiting, [{ days: 30 }]);
        assert.partialDeepStrictEqual(
          lines.map((line) => JSON.parse(line)).find(({ bundleId }) => bundleId === 'of the tests'),
          TERMS,
        );
        const file = fileOf(test, [{ kind: 'latchkey', version: 1, exportedAt: '2027-01-01T00:00:00.000Z' }, ...lines]);
        const target = await freshFor(test, to);
        const dry = await run(target, 'import', '--dry-run', file);
        assert.equal(dry.code, 0, dry.err);
        assert.deepEqual(await exported(test, target), ['{"kind":"end","lines":0}']);
        const real = await run(target, 'import', file);
        assert.equal(real.code, 0, real.err);
        assert.equal(real.out.replace('Added', 'Would add'), dry.out);
        assert.deepEqual(await exported(test, target), lines);
        const unindexed = 'select count(*) as "all", count(unindexed) as "late" from event';
        const events = await rowOf(target, unindexed);
        assert.ok(Number(events?.all) > 0);
        assert.equal(Number(events?.late), 0, 'they have entered the indexes');
        const before = await allRows(target, []);
        const again = await run(target, 'import', file);
        assert.deepEqual(
          [again.code, again.out],
          [0, `Added: nothing.\nAlready present: ${lines.length - 1}. Refused: 0.\n`],
        );
        assert.deepEqual(await allRows(target, []), before);
        const license = lines.map((line) => JSON.parse(line)).find((line) => line.bundleId === 'of the tests');
        await served(target, async (app) => {
          const detail = await app.admin('/getLicense', { licenseKey: license.licenseKey });
          assert.equal(detail.body.activations.length, 1);
          const { features: ownFeatures, ...terms } = TERMS;
          assert.partialDeepStrictEqual(detail.body.license, { ...terms, ownFeatures });
          assert.deepEqual(
            (await notesOf(app, license.licenseKey)).map(({ text, by }) => [text, by]),
            [
              ['Called: "it\u2019s gone".\n\tReleased it.', 'operator'],
              ['Called again.', 'operator'],
            ],
          );
          const full = { licenseKey: license.licenseKey, productId: 'app', machineFingerprint: 'four', hostname: 'x' };
          assert.equal((await app.send('/activate', full)).status, 403, 'the machines that came over count');
        });
      });
    });

for (const engine of engines)
  describe(`import on ${engine}`, () => {
    it('takes keys from elsewhere, finds them in any case, and shows them as they were issued', async (test) => {
      const database = await freshFor(test, engine);
      const keys = ['old_key-1', 'ABCDEFGH', '  k: a/b "c" ~', `${'x'.repeat(511)}Y`];
      const file = fileOf(
        test,
        keys.map((licenseKey) => ({ ...ADA, licenseKey, maxMachines: 5, purchasedAt: '2020-02-03' })),
      );
      const { code, out, err } = await run(database, 'import', file);
      assert.deepEqual([code, out], [0, 'Added: license 4.\nAlready present: 0. Refused: 0.\n'], err);
      await served(database, async (app) => {
        for (const given of keys) {
          const licenseKey = given.toLowerCase();
          const verified = await app.send('/verify', { licenseKey, productId: 'app' });
          assert.equal(verified.body.valid, true);
          const activated = { licenseKey, productId: 'app', machineFingerprint: 'm', hostname: 'h' };
          assert.equal((await app.send('/activate', activated)).status, 200);
          const { license } = (await app.admin('/getLicense', { licenseKey })).body;
          assert.deepEqual(
            [license.key, license.maxMachines, license.createdAt, license.purchasedAt],
            [given.trim(), 5, '2020-02-03T00:00:00.000Z', '2020-02-03T00:00:00.000Z'],
          );
        }
        const { licenses } = (await app.admin('/listLicenses')).body;
        assert.deepEqual(
          licenses.map(({ key }: { key: string }) => key).toSorted(),
          keys.map((given) => given.trim()).toSorted(),
        );
        const { hits } = (await app.admin('/searchEverything', { query: 'Old_Ke' })).body;
        assert.deepEqual(
          hits.map(({ matchedBy, licenseKey }: Record<string, unknown>) => [matchedBy, licenseKey]),
          [['key', 'OLD_KEY-1']],
        );
      });
      const events = await rowOf(
        database,
        "select count(*) as created from event where type = 'license.created' and actor = 'command:import' and license_number = 1",
      );
      assert.equal(Number(events?.created), keys.length);
    });

    it('says of each line that it refuses why, and takes the others', async (test) => {
      const database = await freshFor(test, engine);
      const license = (licenseKey: unknown, more = {}) => ({ ...ADA, licenseKey, ...more });
      const lines: GivenLines = [
        [license('FIRST-KEY'), null],
        ['not json', /is not JSON/],
        ['["FIRST-KEY"]', /is not a JSON object/],
        [license('SHORT12'), /licenseKey must have 8 to 512 printable ASCII characters/],
        [license(' SHORT12 '), /8 characters or more, blanks around it not counted/],
        [license('K'.repeat(513)), /8 to 512/],
        [license('key-with-umlaut-ä'), /printable ASCII/],
        [license('key-with-a-tab\t'), /printable ASCII/],
        [license(12345678), /printable ASCII/],
        [{ licenseKey: 'NO-ADDRESS' }, /lacks licenseKey, email or productId/],
        [license('SECOND-KEY', { expireAt: '2027-01-01' }), /has the field expireAt, which a license does not have/],
        [license('SECOND-KEY', { expiresAt: '2027-02-30' }), /expiresAt must be an ISO 8601 timestamp/],
        [license('SECOND-KEY', { maxMachines: 0 }), /maxMachines must be -1/],
        [{ kind: 'gift', licenseKey: 'SECOND-KEY' }, /has a kind that is none of/],
        [license('first-key'), null],
        [
          license('FIRST-KEY', { email: 'eve@example.com' }),
          /exists already with another email, which stays unchanged/,
        ],
        [{ kind: 'machine', licenseKey: 'THIRD-KEY', fingerprint: 'm' }, /there is no license of this licenseKey/],
        [license('THIRD-KEY'), null],
        ['', null],
        [`{"licenseKey":"LONG-LINE","email":"${'x'.repeat(1_100_000)}"}`, /is longer than 1048576 bytes/],
        [{ kind: 'variant', productId: 'app', name: 'indie' }, /there is no product of this productId/],
        [license('FOURTH-KEY'), null],
      ];
      const file = fileOfGiven(test, lines);
      for (const args of [['--dry-run'], []]) {
        const { code, out, err } = await run(database, 'import', ...args, file);
        assert.equal(code, 1);
        assertRefused(err, lines);
        assert.match(out, /^(Would add|Added): license 3\.\nAlready present: 1\. Refused: 17\.$/m);
        assert.doesNotMatch(err, /FIRST-KEY|eve@/);
        const { licenses } = (await rowOf(database, 'select count(*) as licenses from license'))!;
        assert.equal(Number(licenses), args.length === 0 ? 3 : 0);
      }
      const again = await run(database, 'import', file);
      assert.match(again.out, /^Added: machine 1\.\nAlready present: 4\. Refused: 16\.$/m);
      const { email } = (await rowOf(database, "select email from license where license_key = 'FIRST-KEY'"))!;
      assert.equal(email, ADA.email);
    });

    it('says once that a file has another format, and changes nothing', async (test) => {
      const database = await freshFor(test, engine);
      const rows = Array.from({ length: 1_000 }, (_, index) => `TAPE-${1_000 + index},ada@example.com,tapehead`);
      for (const lines of [
        ['key,email,product', ...rows],
        ['TAPE-1000;ada@example.com;tapehead', ''],
      ]) {
        const { code, out, err } = await run(database, 'import', fileOf(test, lines));
        assert.deepEqual([code, out], [1, 'Added: nothing.\nAlready present: 0. Refused: 0.\n']);
        assert.match(
          err,
          /^Database: .*\nThe file is neither JSON Lines nor CSV\. .* docs\/operators\/import-export\.md lists the fields\.\n$/,
        );
      }
      const begun = await run(
        database,
        'import',
        fileOf(test, ['not json', 'nor this', { ...ADA, licenseKey: 'FIRST-KEY' }]),
      );
      assert.match(begun.err, /^Line 1 refused: is not JSON\.\nLine 2 refused: is not JSON\.$/m);
      assert.match(begun.out, /^Added: license 1\.$/m);
    });

    it('reads licenses from CSV, as a spreadsheet of any country saves it', async (test) => {
      const database = await freshFor(test, engine);
      const file = fileOf(test, [
        '\uFEFFLicenseKey,email , productId,maxMachines,expiresAt,variant,unlockedProducts\r',
        'TAPE-1000,ada@example.com,tapehead,5,2031-05-01,"Pro, with ""extras""","reverb,delay"\r',
        '\r',
        '" tape-1001 ",bob@example.com,tapehead,,,"two\r\nlines",\r',
        'TAPE-1002,eve@example.com,tapehead,many,,,\r',
        'TAPE-1003,eve@example.com,tapehead\r',
        'TAPE-1004,,tapehead,,,,\r',
        'TAPE-1000,ada@example.com,tapehead,5,,,\r',
        'TAPE-1000,eve@example.com,tapehead,,,,\r',
      ]);
      for (const args of [['--dry-run'], []]) {
        const { code, out, err } = await run(database, 'import', ...args, file);
        assert.equal(code, 1);
        assert.match(out, /: license 2\.\nAlready present: 1\. Refused: 4\.$/m);
        assert.deepEqual(
          refusals(err).map(([line, reason]) => `${line} ${reason}`),
          [
            '6 maxMachines must be -1 (unlimited) or a whole number from 1 to 1000000000',
            '7 has 3 values, but the header has 7 columns',
            '8 lacks licenseKey, email or productId',
            '10 it exists already with another email, which stays unchanged',
          ],
        );
        assert.doesNotMatch(err, /TAPE|eve@/);
      }
      const columns = 'license_key, max_machines, expires_at, variant, unlocked_products';
      const keys = ['TAPE-1000', 'TAPE-1001'];
      const stored = await Promise.all(
        keys.map((key) => rowOf(database, `select ${columns} from license where license_key = '${key}'`)),
      );
      assert.deepEqual(
        stored.map((row) => ({ ...row, max_machines: Number(row?.max_machines) })),
        [
          {
            license_key: 'TAPE-1000',
            max_machines: 5,
            expires_at: '2031-05-01T23:59:59.999Z',
            variant: 'Pro, with "extras"',
            unlocked_products: '["reverb","delay"]',
          },
          {
            license_key: 'TAPE-1001',
            max_machines: 2,
            expires_at: null,
            variant: 'two\r\nlines',
            unlocked_products: '[]',
          },
        ],
      );
      for (const separator of [';', '\t']) {
        const line = (values: readonly string[]) => values.join(separator);
        const more = [
          line(['email', 'productId', 'licenseKey']),
          line(['ada@example.com', 'a,b', `TAPE-100${separator.charCodeAt(0)}`]),
        ];
        assert.match((await run(database, 'import', fileOf(test, more))).out, /^Added: license 1\.$/m);
      }
    });

    it('reads the examples of the page on import', async (test) => {
      const page = readFileSync(new URL('../../../../../docs/operators/import-export.md', import.meta.url), 'utf8');
      for (const language of ['json', 'csv']) {
        const [, example = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
        const { code, out } = await run(
          await freshFor(test, engine),
          'import',
          fileOf(test, example.trim().split('\n')),
        );
        assert.deepEqual([code, out.split('\n')[0]], [0, 'Added: license 2.']);
      }
    });

    it('reports a fault in the header of a CSV file once, and changes nothing', async (test) => {
      const database = await freshFor(test, engine);
      const headers: readonly (readonly [string, string])[] = [
        ['licenseKey,email,product', 'names the column product, which a license does not have'],
        ['licenseKey,email,productId,Email', 'names the column email twice'],
        ['licenseKey,email,productId,', 'has a column without a name'],
        ['licenseKey,productId', 'lacks the column email'],
      ];
      for (const [header, reason] of headers) {
        const rows = Array.from({ length: 20 }, (_, index) => `TAPE-${1_000 + index},ada@example.com,tapehead,`);
        const { code, out, err } = await run(database, 'import', fileOf(test, [header, ...rows]));
        assert.deepEqual([code, out], [1, 'Added: nothing.\nAlready present: 0. Refused: 0.\n']);
        assert.equal(
          err.split('\n').slice(1).join(''),
          `The first line ${reason}. docs/operators/import-export.md lists the fields.`,
        );
      }
    });

    it('stops at the damage of a CSV file, and names the line', async (test) => {
      const database = await freshFor(test, engine);
      const [header, row] = ['licenseKey,email,productId', 'TAPE-1000,ada@example.com,tapehead'];
      const latin = Buffer.concat([
        Buffer.from(`${header}\n${row}\nTAPE-1001,j`),
        Buffer.from([0xfc]),
        Buffer.from('\n'),
      ]);
      const damages: readonly (readonly [string | Buffer, RegExp])[] = [
        [
          `${header}\n${row}\n"TAPE-1001"x,b@example.com,t\n`,
          /the quotation marks in the row after line 2 are not in order/,
        ],
        [
          `${header}\n${row}\n"TAPE-1001,b@example.com,t\n`,
          /the quotation marks in the row after line 2 are not in order/,
        ],
        [`${header}\n${row}\n"${'x'.repeat(1_100_000)}`, /the row after line 2 is longer than 1048576 bytes/],
        [latin, /it is not UTF-8; save it as "CSV UTF-8"/],
      ];
      for (const [content, reason] of damages) {
        await emptyTables(database);
        const file = join(temporaryFolder(test), 'licenses.csv');
        writeFileSync(file, content);
        const { code, err } = await run(database, 'import', file);
        assert.equal(code, 1);
        assert.match(err, new RegExp(`^The file is damaged: .*${reason.source}`, 'm'));
        assert.doesNotMatch(err, /TAPE|example\.com/);
      }
    });

    it('adds notes with who wrote them and when, once each, as changes of the license', async (test) => {
      const database = await freshFor(test, engine);
      const noted = { kind: 'note', licenseKey: 'first-key', text: 'Called.', at: '2020-02-03T10:00:00Z', by: 'Bo' };
      const lines: GivenLines = [
        [{ ...ADA, licenseKey: 'FIRST-KEY' }, null],
        [{ ...noted, noteId: 'n-1' }, null],
        [{ ...noted, text: 'Sold it.', by: 'creator:ada' }, null],
        [{ ...noted, at: '2020-02-03T11:00:00+01:00' }, null],
        [{ ...noted, noteId: 'n-2' }, null],
        [{ ...noted, by: 'Eve' }, null],
        [{ ...noted, licenseKey: 'OTHER-KEY' }, /^there is no license of this licenseKey$/],
        [{ ...noted, noteId: 'n-1', text: 'Never called.' }, /the same noteId|exists already with another text/],
        [{ ...noted, at: undefined }, /^lacks licenseKey, text, at or by$/],
        [{ ...noted, text: 'x'.repeat(20_001) }, /^text must be a string of at most 20000 characters$/],
        [{ ...noted, seen: true }, /^has the field seen, which a note does not have$/],
      ];
      const file = fileOfGiven(test, lines);
      const counts = ['license 1, note 3.\nAlready present: 2.', 'nothing.\nAlready present: 6.'];
      for (const [args, said] of [
        [['--dry-run'], `Would add: ${counts[0]}`],
        [[], `Added: ${counts[0]}`],
        [[], `Added: ${counts[1]}`],
      ] as const) {
        const { out, err } = await run(database, 'import', ...args, file);
        assert.equal(out, `${said} Refused: 5.\n`);
        assertRefused(err, lines);
      }
      await served(database, async (app) => {
        const at = '2020-02-03T10:00:00.000Z';
        assert.deepEqual(await notesOf(app, 'FIRST-KEY'), [
          { text: 'Called.', by: 'Bo', at, noteId: 'n-1' },
          { text: 'Sold it.', by: 'creator:ada', at },
          { text: 'Called.', by: 'Eve', at },
        ]);
        const { history } = (await app.admin('/getLicense', { licenseKey: 'FIRST-KEY', history: true })).body;
        assert.deepEqual(
          history.map(({ event }: Answer['body']) => [event.licenseNumber, event.type]),
          [4, 3, 2, 1].map((number) => [number, number === 1 ? 'license.created' : 'license.noted']),
        );
      });
    });

    it('does not bring back the address of a customer who was forgotten, with a note that has an id', async (test) => {
      const database = await freshFor(test, engine);
      const noted = { kind: 'note', licenseKey: 'FIRST-KEY', at: '2020-02-03', by: 'Bo', noteId: 'n-1' };
      const file = fileOf(test, [
        { ...ADA, licenseKey: 'FIRST-KEY' },
        { ...noted, text: `Wrote to ${ADA.email}.` },
      ]);
      assert.equal((await run(database, 'import', file)).code, 0);
      await served(database, async (app) => {
        const forgotten = await app.admin('/forgetCustomer', { email: ADA.email });
        assert.equal(forgotten.body.complete, true, JSON.stringify(forgotten.body));
      });
      const before = await allRows(database, []);
      assert.doesNotMatch(JSON.stringify(before), /ada@/);
      const again = await run(database, 'import', file);
      assert.match(again.err, /^Line 2 refused: it exists already with another text, which stays unchanged\.$/m);
      assert.deepEqual(await allRows(database, []), before);
    });

    it('does not bring back the address of a customer who was forgotten, with a redemption', async (test) => {
      const database = await freshFor(test, engine);
      const redemption = { kind: 'redemption', code: 'SPRING', licenseKey: 'FIRST-KEY', redeemedAt: '2020-02-03' };
      const file = fileOf(test, [
        ...['FIRST-KEY', 'OTHER-KEY'].map((licenseKey) => ({ ...ADA, licenseKey })),
        { kind: 'code', code: 'SPRING', trialDays: 14 },
        { ...redemption, email: ADA.email },
      ]);
      assert.equal((await run(database, 'import', file)).code, 0);
      await served(database, async (app) => {
        const forgotten = await app.admin('/forgetCustomer', { email: ADA.email });
        assert.deepEqual([forgotten.body.complete, forgotten.body.replaced.redemptions], [true, 1]);
      });
      const before = await allRows(database, []);
      assert.doesNotMatch(JSON.stringify(before), /ada@/);
      for (const args of [['--dry-run'], []]) {
        const again = await run(database, 'import', ...args, file);
        assert.match(again.err, /^Line 4 refused: it exists already with another email, which stays unchanged\.$/m);
        assert.deepEqual(await allRows(database, []), before);
      }
      // Somebody else redeemed the code at that time, or the same one for another license.
      const others = [
        { ...redemption, email: 'eve@example.com', redeemedAt: '2020-02-04' },
        { ...redemption, email: 'bob@example.com', licenseKey: 'OTHER-KEY' },
      ];
      const { out, err } = await run(database, 'import', fileOf(test, others));
      assert.match(out, /^Added: redemption 2\.$/m, err);
    });

    it('refuses in a dry run what the import refuses, also where lines that collide are far apart', async (test) => {
      const database = await freshFor(test, engine);
      const at = '2020-02-03T10:00:00.000Z';
      const noted = { kind: 'note', licenseKey: 'FIRST-KEY', text: 'Called.', at, by: 'Bo', noteId: 'n-1' };
      const violation = {
        kind: 'violation',
        licenseKey: 'FIRST-KEY',
        type: 'machine_limit',
        severity: 1,
        firstSeen: at,
      };
      const order = (studioOrderId: string, ...codes: readonly string[]) => ({
        ...{ kind: 'order', studioOrderId, buyerEmail: ADA.email, buyerUserId: 'u', courseId: 'c', courseSlug: 'c' },
        ...{ courseTitle: 'C', creatorId: 'ada', pricePerSeat: 1, totalAmount: 2, currency: 'usd', createdAt: at },
        seats: codes.map((code, index) => ({ code, seatNumber: index + 1 })),
      });
      const seat = (letter: string) => `ABCD-EFGH-JKM${letter}`;
      // Each kind of line begins a batch of its own.
      const lines: GivenLines = [
        [{ ...ADA, licenseKey: 'FIRST-KEY' }, null],
        [{ ...violation, violationId: 'v-1' }, null],
        [order('o-1', seat('A'), seat('B')), null],
        [noted, null],
        [{ ...violation, violationId: 'v-2' }, /^the license has an open violation of this type, and cannot have two$/],
        [order('o-2', seat('B'), seat('C')), /^the code of a seat is taken by another order$/],
        [
          { ...noted, text: 'Never called.' },
          /^(a line before it has the same noteId|it exists already with another text)/,
        ],
        [{ ...violation, violationId: 'v-1' }, null],
        [{ ...violation, violationId: 'v-3', resolvedAt: at }, null],
        [order('o-1', seat('A'), seat('B')), null],
        [order('o-3', seat('C'), seat('D')), null],
        [noted, null],
        [{ ...noted, text: 'Sold it.', noteId: 'n-2' }, null],
      ];
      const file = fileOfGiven(test, lines);
      for (const args of [['--dry-run'], []]) {
        const { out, err } = await run(database, 'import', ...args, file);
        assertRefused(err, lines);
        assert.match(
          out,
          /^(Would add|Added): license 1, violation 2, order 2, note 2\.\nAlready present: 3\. Refused: 3\.$/m,
        );
      }
    });

    it('takes more notes of a license than it reads at once, and export writes them in their order', async (test) => {
      const database = await freshFor(test, engine);
      const noted = (licenseKey: string, index: number) =>
        `{"kind":"note","licenseKey":"${licenseKey}","noteId":"n-${index}","text":"note ${index}","at":"2020-02-03T00:00:00.000Z","by":"Bo"}`;
      const notesOn = (key: string, length: number) => Array.from({ length }, (_, index) => noted(key, index));
      const notes = [...notesOn('FIRST-KEY', 30), ...notesOn('OTHER-KEY', 4_100)];
      const licenses = ['OTHER-KEY', 'FIRST-KEY'].map((licenseKey) => ({ ...ADA, licenseKey }));
      const file = fileOf(test, [...licenses, ...notes]);
      const { out, err } = await run(database, 'import', file);
      assert.equal(out, 'Added: license 2, note 4130.\nAlready present: 0. Refused: 0.\n', err);
      assert.deepEqual(
        (await exported(test, database)).filter((line) => line.includes('"kind":"note"')),
        notes,
      );
      const again = await run(database, 'import', file);
      assert.equal(again.out, 'Added: nothing.\nAlready present: 4132. Refused: 0.\n', again.err);
    });

    it('imports exported damaged rows, and export never takes products away from a customer', async (test) => {
      const source = await filled(test, engine);
      const damaged = await served(source, (app) => app.license({ unlockedProducts: ['more'] }));
      await execute(
        source,
        `update violation set evidence = '{"machines":5,"limit":1}'; update activation set countries = '"abc"'`,
      );
      const lines = await exported(test, source);
      assert.ok(lines.some((line) => line.includes('"evidence":{"limit":1}')));
      const { out } = await run(await freshFor(test, engine), 'import', fileOf(test, lines.slice(0, -1)));
      assert.match(out, /Refused: 0\.$/m);

      await execute(source, `update license set unlocked_products = 'null' where license_key = '${damaged}'`);
      const file = join(temporaryFolder(test), 'export.jsonl');
      const { code, err } = await run(source, 'export', file);
      assert.equal(code, 1);
      assert.match(err, new RegExp(`The unlocked products of the license ${damaged.slice(0, 5)}….* cannot be read`));
      assert.equal(existsSync(file), false);
    });

    it('takes identifiers of violations in any script, and pages of a history continue behind them', async (test) => {
      const database = await freshFor(test, engine);
      const violations = ['vérifié', 'two\nlines', '違反'].map((violationId, index) => ({
        ...{ kind: 'violation', licenseKey: 'FIRST-KEY', violationId, type: 'refund', severity: 4 },
        ...{ firstSeen: `2027-01-0${index + 1}`, evidence: {} },
      }));
      const { out, err } = await run(
        database,
        'import',
        fileOf(test, [{ ...ADA, licenseKey: 'FIRST-KEY' }, ...violations]),
      );
      assert.match(out, /violation 3/, err);
      await served(database, async (app) => {
        const found: string[] = [];
        let historyCursor: string | undefined;
        do {
          const asked = { licenseKey: 'FIRST-KEY', history: true, historyLimit: 1, historyCursor };
          const { status, body } = await app.admin('/getLicense', asked);
          assert.equal(status, 200, body.error);
          for (const { violation } of body.history) if (violation !== undefined) found.push(violation.id);
          historyCursor = body.nextHistoryCursor;
        } while (historyCursor !== undefined);
        assert.deepEqual(found, ['違反', 'two\nlines', 'vérifié']);
      });
    });

    it('refuses evidence of a wrong shape, and names the line and the field', async (test) => {
      const database = await freshFor(test, engine);
      const violation = (evidence: unknown, type = 'machine_limit') => ({
        kind: 'violation',
        licenseKey: 'FIRST-KEY',
        violationId: `v-${JSON.stringify(evidence)}`,
        type,
        severity: 1,
        firstSeen: '2027-01-01',
        evidence,
      });
      const seen = { fingerprint: 'one', lastSeen: '2027-01-01T00:00:00.000Z' };
      const lines: GivenLines = [
        [{ ...ADA, licenseKey: 'FIRST-KEY' }, null],
        [violation({ machines: 5 }), /^evidence\.machines must be a list$/],
        [violation([null]), /^evidence must be an object$/],
        [violation('abc'), /^evidence must be an object$/],
        [violation({ machines: [seen, null] }), /^evidence\.machines\[1\] must be an object$/],
        [
          violation({ machines: [{ ...seen, fingerprint: 5 }] }),
          /^evidence\.machines\[0\] must have a text as fingerprint$/,
        ],
        [violation({ machines: [{ ...seen, hostname: {} }] }), /^evidence\.machines\[0\] must have a text as hostname/],
        [violation({ machines: [{ ...seen, lastSeen: 'soon' }] }), /^evidence\.machines\[0\] must have a moment/],
        [violation({ limit: '2' }), /^evidence\.limit must be a number$/],
        [violation({ countries: [5] }, 'country_spread'), /^evidence\.countries\[0\] must be a text$/],
        [violation({ inOneDay: '3' }, 'country_spread'), /^evidence\.inOneDay must be a number$/],
        [violation({ endpoint: null }, 'token_replay'), /^evidence\.endpoint must be a text$/],
        [violation({ tokenOf: 5 }, 'token_replay'), /^evidence\.tokenOf must be a text$/],
        [violation({ countries: ['DE'], inOneDay: 1 }, 'country_spread'), null],
        [violation({ endpoint: '/validate', tokenOf: 'another license' }, 'token_replay'), null],
        [violation({ machines: [seen], limit: 2, of: { 'another server': [null] } }), null],
        [violation({ reportedBy: 'their shop', amount: 5 }, 'refund'), null],
      ];
      const file = fileOfGiven(test, lines);
      for (const args of [['--dry-run'], []]) {
        const { err } = await run(database, 'import', ...args, file);
        assertRefused(err, lines);
      }
    });

    it('refuses a value of another type in any field of any kind of line, and names the field', async (test) => {
      const source = await filled(test, engine);
      const first = new Map<string, Record<string, unknown>>();
      for (const text of await exported(test, source)) {
        const { kind, ...fields } = JSON.parse(text);
        // A line with few nulls shows most fields.
        const filledIn = (line: object) => Object.values(line).filter((value) => value !== null).length;
        if (kind !== 'end' && filledIn(fields) > filledIn(first.get(kind) ?? {})) first.set(kind, fields);
      }
      assert.deepEqual([...first.keys()].sort(), [...LINE_KINDS].sort());
      const typeOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value);
      const given: { kind: string; field: string; value: unknown }[] = [];
      for (const [kind, fields] of first)
        for (const [field, right] of Object.entries(fields))
          for (const value of [5, 'abc', true, {}, [null], [[]], { a: { b: [null] } }])
            if (right !== null && (typeOf(value) !== typeOf(right) || typeOf(right) === 'list'))
              given.push({ kind, field, value });
      const file = fileOf(
        test,
        given.map(({ kind, field, value }) => ({ kind, ...first.get(kind), [field]: value })),
      );
      const target = await freshFor(test, engine);
      const { err, out } = await run(target, 'import', file);
      assert.match(out, /^Added: nothing\.\nAlready present: 0\./);
      const said = refusals(err);
      assert.deepEqual(
        said.map(([line]) => line),
        given.map((_, index) => index + 1),
      );
      for (const [index, { kind, field, value }] of given.entries())
        assert.ok(
          said[index]![1].includes(field === 'seats' ? 'seat' : field),
          `${kind} with ${field}: ${JSON.stringify(value)} is refused: ${said[index]![1]}`,
        );
    });

    it('of a file that was cut off, of another version, or put together is refused', async (test) => {
      const database = await freshFor(test, engine);
      const header = { kind: 'latchkey', version: 1, exportedAt: '2027-01-01T00:00:00.000Z' };
      const license = { ...ADA, licenseKey: 'FIRST-KEY' };
      const faults: readonly (readonly [readonly unknown[], RegExp, number])[] = [
        [[header, license], /it was cut off/, 1],
        [[header, license, { kind: 'end', lines: 2 }], /states another number of lines/, 1],
        [[{ ...header, version: 2 }, license, { kind: 'end', lines: 1 }], /another version of the format/, 0],
        [[license, header], /its header stands among other lines/, 1],
      ];
      for (const [lines, fault, kept] of faults) {
        await emptyTables(database);
        const { code, err } = await run(database, 'import', fileOf(test, lines));
        assert.equal(code, 1);
        assert.match(err, new RegExp(`^The file is damaged: .*${fault.source}`, 'm'));
        const { licenses } = (await rowOf(database, 'select count(*) as licenses from license'))!;
        assert.equal(Number(licenses), kept);
      }
    });
  });

describe('import on postgres beside a running service', () => {
  it('leaves a variant as it is that was made while the import waited for the product', async (test) => {
    const database = await freshFor(test, 'postgres');
    await served(database, (app) => app.admin('/createProduct', { slug: 'reverb', name: 'Reverb', creatorId: 'ada' }));
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query(`begin; select 1 from product where product_id = 'reverb' for no key update;
      insert into variant (variant_id, product_id, name, license_type, max_machines, active)
        values ('reverb-pro', 'reverb', 'pro', 'per-machine', 7, 1)`);
    const line = { kind: 'variant', productId: 'reverb', name: 'pro', maxMachines: 3 };
    const importing = run(database, 'import', fileOf(test, [line]));
    assert.equal(await waitsForLock(database, importing), true);
    await other.query('commit');
    await other.end();
    const { out, err } = await importing;
    assert.match(err, /^Line 1 refused: it exists already with another maxMachines, which stays unchanged\.$/m, out);
    assert.equal((await rowOf(database, 'select max_machines from variant'))?.max_machines, '7');
  });
});

describe('import on sqlite', () => {
  it('is refused while a server uses the database; a dry run is not', async (test) => {
    const app = await appFor(test, 'sqlite');
    const file = fileOf(test, [{ ...ADA, licenseKey: 'FIRST-KEY' }]);
    const { code, err } = await run(app.database, 'import', file);
    assert.equal(code, 1);
    assert.match(err, /^A server is using .*latchkey\.db\. .* stop it, import, and start it again\./m);
    assert.equal((await run(app.database, 'import', '--dry-run', file)).code, 0);
  });
});
