/** The parts of the reply of /getSystem. */
import Type from 'typebox';
import { nullable, oneOf, resource, timestamp } from '../endpoint/field-types.ts';

const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Integer({ description });

export const serviceSchema = resource('SystemService', 'The node that answers.', {
  version: text('Version of the service.'),
  nodeJsVersion: text('Version of Node.js that runs it.'),
  hostname: text('What its machine calls itself.'),
  label: nullable(text('What the operator calls this installation; null: nothing.')),
  logLevel: text('What is logged: lines of this level and above.'),
  time: timestamp('What its clock said when it took the call.'),
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
        timestamp('The last time that was believed, with what has passed since; null: there is none.'),
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
  engine: oneOf('What it is.', ['sqlite', 'postgres']),
  version: text('Version of the engine.'),
  location: text('Path of the file; for PostgreSQL the name of the database and its hosts.'),
  bytes: nullable(number('What it takes on its disk, its log included; null: could not be found out.')),
  diskFreeBytes: nullable(
    number('Room that is left for the service on the disk of the file; null for PostgreSQL, or as above.'),
  ),
  diskTotalBytes: nullable(number('Room that this disk has in all.')),
  time: nullable(timestamp('What its clock says; null for SQLite, which has none but that of the service.')),
  migration: resource('SystemMigration', 'The newest migration that the database has seen.', {
    version: number('Its number.'),
    name: text('Number and title.'),
    appliedAt: timestamp('When it was applied.'),
    newestKnown: number('Number of the newest migration that this version of the service knows.'),
    state: oneOf(
      '`ahead`: a newer version of the service has changed the tables. `behind`: they are not as this version made them.',
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
    selfSigned: Type.Boolean({ description: 'Whether the service made it itself.' }),
  }),
);

export const countriesSchema = resource('SystemCountries', 'Where the countries of calls come from.', {
  header: nullable(text('The request header that is believed; null: none.')),
  file: nullable(text('The file of addresses and countries; null: none. The header goes first.')),
  fileBuiltAt: nullable(timestamp('When that file was built; null: there is none, or it does not say.')),
});

export const retentionSchema = resource('SystemRetention', 'For how long things are kept. Notes are kept for ever.', {
  eventSeconds: number('Events.'),
  refusalSeconds: number('Refusals.'),
  hourlyStatisticsSeconds: number('Statistics by the hour.'),
  dailyStatisticsSeconds: number('Statistics by the day.'),
  safeRetrySeconds: number('Answers that are given again to a repeated Idempotency-Key.'),
  expiredLicenseFileSeconds: number('What is known of a license file, after it expired.'),
  sessionSeconds: number('Console sessions, from their beginning.'),
  idleSessionSeconds: number('The same without a call.'),
  keptSessionSeconds: number('Console sessions of those who stay signed in.'),
});
