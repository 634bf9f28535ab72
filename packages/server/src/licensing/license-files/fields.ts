/** Shared fields of the endpoints that reply with a license file. */
import Type from 'typebox';
import { nullable, timestamp } from '../../platform/endpoint/field-types.ts';

export const issuedFileReply = {
  success: Type.Literal(true),
  licenseFile: Type.String({ description: 'The signed file; docs/apps/license-files.md says how it is read.' }),
  fileId: Type.String({ description: 'Identifies the file; in it as `jti`.' }),
  issuedAt: timestamp('When it was issued.'),
  renewAfter: timestamp('When an app that has a connection should ask for another one.'),
  expiresAt: nullable(timestamp('Valid until this moment; null: for ever, only for a file made with `forever`.')),
  keyId: Type.String({ description: 'Which key signed it; in its header as `kid`.' }),
};
