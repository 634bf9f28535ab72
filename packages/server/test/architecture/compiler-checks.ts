/**
 * Mistakes that the compiler rejects. Nothing here runs: `tsc -p packages/server` fails when a line below
 * `@ts-expect-error` compiles, so each line shows that the mistake is caught at compile time.
 */
import Type from 'typebox';
import { decidedOnLicense } from '../../src/licensing/client-endpoints/license-batch.ts';
import { decidedOnMachine } from '../../src/licensing/client-endpoints/machine-batch.ts';
import type { LicenseDecision } from '../../src/licensing/licenses/change.ts';
import type { License } from '../../src/licensing/licenses/license.ts';
import type { CountedByType, LicenseType } from '../../src/licensing/products/license-type.ts';
import { endpoint } from '../../src/platform/endpoint/endpoint.ts';
import { refuse } from '../../src/platform/endpoint/refusals.ts';
import type { Sql, Statement, Storage, Tx, WriteStatement } from '../../src/storage/contract/storage.ts';

/** A read cannot write, nor call functions that write; a transaction can read. */
export function readsCannotWrite(
  storage: Storage,
  sql: Sql,
  tx: Tx,
  write: Statement,
  returning: WriteStatement,
): void {
  const needsTransaction = async (given: Tx) => given.run(write);
  const needsRead = async (given: Sql) => given.all(write);
  // @ts-expect-error a read has no way to run a write
  sql.run(write);
  // @ts-expect-error a read marks nothing as changed
  sql.publish({ name: 'a topic', isForEveryThread: false }, 'a message');
  // @ts-expect-error a read has no end to wait for
  sql.afterwards(() => {});
  // @ts-expect-error a read cannot be handed to what writes
  needsTransaction(sql);
  // @ts-expect-error nor where the storage runs it
  storage.read((given) => needsTransaction(given));
  storage.transaction((given) => needsTransaction(given));
  needsRead(tx);
  // @ts-expect-error a read is not given a write for the rows that it returns
  sql.all(returning);
  // @ts-expect-error nor for the first of them
  sql.first(returning);
  tx.all(returning);
  tx.first(returning);
  tx.run(returning);
}

/** A small endpoint. */
const declared = endpoint({
  path: '/example',
  methods: ['POST'],
  access: 'client',
  summary: 'Stands for any endpoint',
  description: 'Stands for any endpoint.',
  example: { request: { licenseKey: 'key', machineFingerprint: 'machine' }, reply: { success: true, machines: 1 } },
  fields: Type.Object({ licenseKey: Type.String(), machineFingerprint: Type.String() }),
  missing: 'Missing licenseKey',
  reply: Type.Object({
    success: Type.Literal(true),
    machines: Type.Integer(),
    email: Type.Optional(Type.String()),
  }),
  refusals: ['license_revoked', 'machine_limit'],
});

/** An action returns only the replies that its endpoint describes and the refusals that it lists. */
export function answersAreDeclared(): void {
  declared.write(async () => ({ success: true, machines: 1 }));
  declared.write(async () => ({ success: true, machines: 1, email: 'ada@example.com' }));
  declared.write(async () => refuse('machine_limit'));
  // Every action may refuse a field that only the action itself can check; endpoints need not list this refusal.
  declared.write(async () => refuse('invalid_field'));
  // @ts-expect-error a refusal that is not listed
  declared.write(async () => refuse('license_expired'));
  // @ts-expect-error a refusal that is not listed, of a read
  declared.read(async () => refuse('license_expired'));
  // @ts-expect-error a field of the reply is missing
  declared.write(async () => ({ success: true }));
  // @ts-expect-error a field of the reply has another type
  declared.write(async () => ({ success: true, machines: '1' }));
  // @ts-expect-error a field that the reply does not have
  declared.write(async () => ({ success: true, machines: 1, hostname: 'desk' }));
  // @ts-expect-error a field that the request does not have
  declared.read(async (_sql, { fields }) => ({ success: true, machines: fields.hostname.length }));
  // @ts-expect-error an action that reads cannot run a write
  declared.read(async (sql) => ({ success: true, machines: await sql.run({} as Statement) }));
}

/** The rules of batched calls must meet the same declarations. */
export function rulesOfBatchesAreDeclared(): void {
  declared.batched(decidedOnMachine('/activate', () => ({ success: true, machines: 1 })));
  declared.batched(
    decidedOnMachine('/activate', (changes) =>
      changes.license.revocation === null ? { success: true, machines: 1 } : refuse('license_revoked'),
    ),
  );
  // @ts-expect-error a refusal that is not listed
  declared.batched(decidedOnMachine('/activate', () => refuse('license_expired')));
  // @ts-expect-error a field of the reply is missing
  declared.batched(decidedOnMachine('/activate', () => ({ success: true })));
  // @ts-expect-error a field that the reply does not have
  declared.batched(decidedOnMachine('/activate', () => ({ success: true, machines: 1, hostname: 'desk' })));
  // @ts-expect-error a refusal that is not listed, of a license that is only looked at
  declared.batched(decidedOnLicense('/verify', () => refuse('license_expired')));
  // @ts-expect-error a field of the reply is missing, of a license that is only looked at
  declared.batched(decidedOnLicense('/verify', () => ({ machines: 1 })));
}

/** Every place that depends on the license type must handle a new one, or nothing compiles. */
type MoreLicenseTypes = LicenseType | 'metered';
export const decided: Readonly<Record<LicenseType, 'machines' | 'sessions'>> = {} as CountedByType;
// @ts-expect-error nothing says what a metered license counts
export const undecided: Readonly<Record<MoreLicenseTypes, 'machines' | 'sessions'>> = {} as CountedByType;

/** A change of a license names only fields that it stores. */
export function changesOfLicensesAreStored(license: License): void {
  const changed: LicenseDecision = { type: 'license.updated', update: { maxMachines: 3, expiresAt: null } };
  // @ts-expect-error no change stores another purchaseId
  const lost: LicenseDecision = { type: 'license.updated', update: { purchaseId: 'another' } };
  // @ts-expect-error nor the e-mail address, which has a write of its own
  const readdressed: LicenseDecision = { type: 'license.updated', update: { email: 'ada@example.com' } };
  // @ts-expect-error a whole license has fields that no change stores
  const whole: LicenseDecision = { type: 'license.updated', update: { ...license, maxMachines: 3 } };
  void [changed, lost, readdressed, whole];
}
