/** The parts of the reply of /getSystem. */
import Type from 'typebox';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { NOTICE_KINDS } from '../operator-notices/notice-kinds.ts';

const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Integer({ description });

export const serviceSchema = resource('SystemService', 'The node that answers.', {
  version: text('Version of the service.'),
  nodeJsVersion: text('Version of Node.js that runs it.'),
  hostname: text('The hostname of its machine.'),
  label: nullable(text("The operator's name for this installation; null if it has none.")),
  logLevel: text('The log level: lines of this level and above are written.'),
  time: timestamp('Its clock when it received the call.'),
  startedAt: timestamp('When it started.'),
  clock: resource(
    'SystemClock',
    'Whether its clock is believed. While it is not, nothing is removed or ended by time.',
    {
      state: oneOf(
        '`ahead`, `behind`: by more than a day of the last time that was believed. `database`: more than a minute from the ' +
          'clock of the database server. `unknown`: nothing could be compared yet.',
        ['believed', 'ahead', 'behind', 'database', 'unknown'],
      ),
      believedAt: nullable(
        timestamp('The last believed time plus the time that has passed since; null if there is none.'),
      ),
      believedFrom: nullable(
        timestamp(
          'When it will be believed by itself unless it jumps; null: it is believed, or waiting does not help.',
        ),
      ),
    },
  ),
  memoryBytes: number('Memory of its process.'),
  reference: text('Path of the reference page.'),
  openApi: text('Path of the description of all endpoints for programs.'),
});

export const databaseSchema = resource('SystemDatabase', 'The database.', {
  engine: oneOf('The kind of action.', ['sqlite', 'postgres']),
  version: text('Version of the engine.'),
  location: text('Path of the file; for PostgreSQL the name of the database and its hosts.'),
  bytes: nullable(number('Size on disk in bytes, including its log; null if it could not be determined.')),
  diskFreeBytes: nullable(
    number('Room that is left for the service on the disk of the file; null for PostgreSQL, or as above.'),
  ),
  diskTotalBytes: nullable(number('Room that this disk has in all.')),
  time: nullable(timestamp('Its clock; null for SQLite, which uses that of the service.')),
  migration: resource('SystemMigration', 'The newest migration that the database has seen.', {
    version: number('Its number.'),
    name: text('Number and title.'),
    appliedAt: timestamp('When it was applied.'),
    newestKnown: number('Number of the newest migration that this version of the service knows.'),
    state: oneOf(
      '`ahead`: a newer version of the service has changed the tables. `behind`: they are older than this version.',
      ['current', 'ahead', 'behind'],
    ),
  }),
});

export const certificateSchema = nullable(
  resource('SystemCertificate', 'The certificate in use; null where proxies carry the HTTPS.', {
    names: Type.Array(Type.String(), { description: 'Names and addresses that it is for, 100 at most.' }),
    validFrom: timestamp('From when on it is valid: clients refuse it before.'),
    endsAt: timestamp('When it ends.'),
    daysLeft: number('Whole days until then; negative once it has ended.'),
    selfSigned: Type.Boolean({ description: 'Whether the service created it (self-signed).' }),
    trust: nullable(
      resource('SystemTrust', 'By which clients trust a self-signed certificate; null if others issued it.', {
        file: text('Path of its file on the machine of the node, for `curl --cacert`.'),
        pem: text('Its text in PEM, as the file holds it. It is public.'),
      }),
    ),
  }),
);

export const countriesSchema = resource('SystemCountries', 'Where the countries of calls come from.', {
  header: nullable(text('The request header that is believed; null: none.')),
  file: nullable(text('The file of addresses and countries; null: none. The header goes first.')),
  fileBuiltAt: nullable(timestamp('When that file was built; null: there is none, or it does not say.')),
});

export const retentionSchema = resource('SystemRetention', 'Retention times. Notes are kept for ever.', {
  eventSeconds: number('Events.'),
  refusalSeconds: number('Refusals.'),
  hourlyStatisticsSeconds: number('Statistics by the hour.'),
  dailyStatisticsSeconds: number('Statistics by the day.'),
  safeRetrySeconds: number('Answers that are given again to a repeated Idempotency-Key.'),
  expiredLicenseFileSeconds: number('Facts about a license file, kept after it expired.'),
  sessionSeconds: number('Console sessions, from their beginning.'),
  idleSessionSeconds: number('The same without a call.'),
  keptSessionSeconds: number('Console sessions of those who stay signed in.'),
});

export const setupSchema = resource('SystemSetup', 'The parts of an installation that are set up.', {
  publicUrl: nullable(text('The address of the service for browsers; null: not set.')),
  sendsMail: Type.Boolean({ description: 'Whether a mail server is configured.' }),
  customerPages: Type.Boolean({ description: 'Whether customers find their licenses at /my.' }),
  identityProvider: Type.Boolean({ description: 'Whether people sign in with accounts of an identity provider.' }),
  lastBackupAt: nullable(
    timestamp('The last backup that this node knows of, by the file that each backup touches; null: none.'),
  ),
  operatorMails: nullable(
    resource('OperatorMails', 'E-mails to the operator; null: no address is configured.', {
      addresses: Type.Array(Type.String(), { description: 'Who gets them.' }),
      kinds: Type.Array(oneOf('As in LATCHKEY_OPERATOR_NOTICES.', NOTICE_KINDS, 'NoticeKind'), {
        description: 'What they tell of.',
      }),
    }),
  ),
});
