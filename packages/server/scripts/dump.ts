/**
 * `npm run dump -- FOLDER`: writes everything of the service that a rebuilding must leave as it is: documents,
 * refusals, the schema and all statements of both engines, an exported file. `diff -r` compares two such folders.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { consoleWords, endpoints, sections } from '../src/app.ts';
import '../src/operations/commands/command-line.ts';
import { codeOf, refusalCodes, statusOf, textPattern } from '../src/platform/endpoint/refusals.ts';
import { generatedFiles, referenceDocuments } from '../src/runtime/reference/documents.ts';
import '../src/runtime/service/server.ts';
import { exportDatabase } from '../src/operations/transfer/export.ts';
import { importLines } from '../src/operations/transfer/import.ts';
import { allStatements } from '../src/storage/contract/storage.ts';
import { openStorage } from '../src/storage/opening/open.ts';
import { postgresDialect } from '../src/storage/postgres/postgres-dialect.ts';
import { sqliteDialect } from '../src/storage/sqlite/sqlite-dialect.ts';
import { engines, freshDatabase } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

const USAGE = `Usage: npm run dump -- FOLDER

Writes documents, refusals, statements, schemas and an exported file into the folder.
`;

const [folder] = readCommandLine(USAGE, {}, 1).positionals;
if (folder === undefined) refuseCommandLine('Name a folder');
mkdirSync(folder, { recursive: true });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

for (const [name, text] of generatedFiles(sections, consoleWords))
  write(name.replaceAll('../', '').replaceAll('/', '-'), text);
for (const [path, document] of referenceDocuments(sections, true)) {
  const made = await document();
  if ('text' in made) write(`served${path.replaceAll('/', '-')}`, made.text.at(-1)?.body.toString() ?? '');
}
write(
  'refusals',
  refusalCodes.map((code) => `${code} ${codeOf(code)} ${statusOf(code)} ${textPattern(code)}\n`).join(''),
);
write('endpoints', endpoints.map(({ path, refusals }) => `${path} ${refusals.join(' ')}\n`).join(''));

const statements = allStatements().toSorted((one, other) => (one.name < other.name ? -1 : 1));
for (const [engine, dialect] of Object.entries({ sqlite: sqliteDialect, postgres: postgresDialect })) {
  const texts = statements.map((each) => `${each.name}: ${each.text(dialect).replace(/\s+/g, ' ')}\n`);
  write(`statements-${engine}`, texts.join(''));
}

const AT = '2026-01-31T09:30:00.000Z';
const LINES: readonly object[] = [
  { kind: 'product', productId: 'app', name: 'App "é"', creatorId: 'ada', status: 'archived', createdAt: AT },
  { kind: 'variant', productId: 'app', name: 'studio', maxConcurrent: 3, licenseType: 'floating', price: 0.0000001 },
  { kind: 'variant', productId: 'app', name: 'indie', active: false, durationDays: 365, price: 1990 },
  { kind: 'code', code: 'Spring', trialDays: 14, maxUses: 3, usedCount: 1, active: false, createdAt: AT },
  { kind: 'license', licenseKey: 'abcd-efgh-ijkl', email: 'Ada@example.com', productId: 'app', createdAt: AT },
  {
    ...{ kind: 'license', licenseKey: 'MNOP-QRST-UVWX', email: 'eve@example.com', productId: 'app', variant: 'studio' },
    ...{ licenseType: 'floating', revocation: 'refund', disputeReason: 'refund', maxMachines: 1, maxConcurrent: 2 },
    ...{ createdAt: AT, purchasedAt: AT, expiresAt: AT, discountCode: 'Spring', purchaseId: 'p-1', bundleId: 'b' },
    unlockedProducts: ['other', 'more'],
  },
  { kind: 'machine', licenseKey: 'MNOP-QRST-UVWX', fingerprint: 'one', hostname: 'Eve’s', firstSeen: AT },
  { kind: 'machine', licenseKey: 'ABCD-EFGH-IJKL', fingerprint: 'two', firstSeen: AT, countries: ['DE', 'AT'] },
  {
    ...{ kind: 'violation', licenseKey: 'ABCD-EFGH-IJKL', violationId: 'v-1', type: 'machine_limit', severity: 2 },
    ...{ firstSeen: AT, occurrences: 7, evidence: { fingerprints: ['one', 'two'] } },
  },
  { kind: 'note', licenseKey: 'ABCD-EFGH-IJKL', noteId: 'n-1', text: 'Called.\n\t"Again."', at: AT, by: 'operator' },
  { kind: 'redemption', code: 'spring', email: 'ada@example.com', licenseKey: 'ABCD-EFGH-IJKL', redeemedAt: AT },
  {
    ...{ kind: 'order', studioOrderId: 'o-1', buyerEmail: 'Bo@example.com', buyerUserId: 'bo', courseId: 'c-1' },
    ...{ courseSlug: 'c', courseTitle: 'C', creatorId: 'ada', pricePerSeat: 100, totalAmount: 400, currency: 'eur' },
    ...{ createdAt: AT, purchaseId: 'p-2' },
    seats: [1, 2, 3, 4].map((seatNumber) => ({ code: `SEAT-AAAA-BBB${seatNumber}`, seatNumber })),
  },
];

for (const engine of engines) {
  const { database, remove } = await freshDatabase(engine);
  write(`schema-${engine}`, await schemaOf(database));
  const storage = await openStorage(database);
  const refused: string[] = [];
  const source = LINES.map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
  const result = await importLines(
    storage,
    (async function* () {
      yield* source;
    })(),
    { isDry: false, now: Date.parse(AT) },
    { refused: (line, reason) => refused.push(`${line}: ${reason}`), handled: () => {} },
  );
  await storage.close();
  let text = `${JSON.stringify({ result, refused })}\n`;
  await exportDatabase(database, AT, async (more) => {
    text += more;
  });
  write(`export-${engine}`, text);
  await remove();
}

/** The definition of each table and index, a line each. */
async function schemaOf(database: Awaited<ReturnType<typeof freshDatabase>>['database']): Promise<string> {
  if (database.engine === 'sqlite') {
    const connection = new DatabaseSync(database.file);
    const rows = connection.prepare('select sql from sqlite_schema where sql is not null order by name').all();
    connection.close();
    return rows.map(({ sql }) => `${sql}\n`).join('');
  }
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query(
    `select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as line
     from information_schema.columns where table_schema = 'public'
     union all select indexdef from pg_indexes where schemaname = 'public' order by 1`,
  );
  await client.end();
  return rows.map(({ line }: { line: string }) => `${line}\n`).join('');
}
