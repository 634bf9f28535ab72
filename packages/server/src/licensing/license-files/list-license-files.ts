import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, nullable, oneOf, resource, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import {
  cursorOf,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readPosition,
  TEXT_FORM,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { storedLicenseKey } from '../licenses/license.ts';
import { findLicense } from '../licenses/store.ts';
import { PURPOSES } from './license-file.ts';
import { ANY_MACHINE, listFiles } from './store.ts';

const fileSchema = resource('LicenseFile', 'The latest signed file of a machine; the file itself is not stored.', {
  fileId: Type.String({ description: 'In the file as `jti`.' }),
  fingerprint: nullable(Type.String({ description: 'The machine; null for a file that any machine may use.' })),
  hostname: nullable(Type.String({ description: 'Its name when the file was issued.' })),
  purpose: oneOf(
    '`grace`: fetched by an app. `offline`: made for a machine without a connection.',
    PURPOSES,
    'FilePurpose',
  ),
  issuedAt: timestamp('When it was issued.'),
  expiresAt: nullable(timestamp('Until when it is good; null for ever.')),
  issuedBy: Type.String({ description: '`client` (an app), `operator`, `command:` or `creator:` and its id.' }),
});

export const listLicenseFiles = endpoint({
  path: '/listLicenseFiles',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the signed files of a license, newest first',
  description:
    'Lists the latest file of each machine, separately for fetched files and for files made for it. Expired files ' +
    'are listed for 90 more days. `nextCursor` is present when there are more; give it as `cursor`.',
  example: {
    after: ['/issueLicenseFile'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: {
      success: true,
      files: [
        {
          fileId: MADE_BY_SERVICE.fileId,
          fingerprint: EXAMPLE.machineFingerprint,
          hostname: EXAMPLE.hostname,
          purpose: 'grace',
          issuedAt: EXAMPLE_NOW,
          expiresAt: '2027-03-31T09:30:00.000Z',
          issuedBy: 'client',
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({ licenseKey: licenseKeyField, ...pageFields('Files') }),
  reply: pageReply('files', fileSchema),
  refusals: ['license_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { limit = DEFAULT_LIMIT } = fields;
  const position = fields.cursor === undefined ? [] : readPosition(fields.cursor, [TEXT_FORM]);
  if (isRefusal(position)) return position;
  const license = await findLicense(sql, storedLicenseKey(fields.licenseKey), scope);
  if (license === undefined) return refuse('license_not_found');
  const found = await listFiles(sql, license.licenseKey, position[0] ?? null, limit + 1);
  const { entries, next } = cutPage(found, limit, ({ fileId }) => cursorOf([fileId]));
  const files = entries.map((file) => {
    const fingerprint = file.fingerprint === ANY_MACHINE ? null : file.fingerprint;
    return viewOf(fileSchema, { ...file, fingerprint });
  });
  return { success: true, files, count: files.length, ...next };
});
