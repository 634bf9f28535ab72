/** Signed license files, in the order of rules 4.12. */
import type { Slice } from '../../platform/slice/slice.ts';
import { createLicenseFile } from './create-license-file.ts';
import { issueLicenseFile } from './issue-license-file.ts';
import { licenseFileJobs } from './jobs.ts';
import { keySites } from './key-documents.ts';
import { listLicenseFiles } from './list-license-files.ts';
import { RecentFiles } from './recent-files.ts';
import { licenseFileRefusals } from './refusals.ts';
import { SigningKeys } from './signing-keys.ts';
import { licenseFileTables } from './tables.ts';

export const licenseFiles = {
  refusals: [licenseFileRefusals],
  sites: keySites,
  sections: [
    {
      title: 'License files',
      description:
        'Signed files let apps run while the service is unreachable, or without any connection. Apps fetch ' +
        'theirs; the operator, and creators within their own products, make those of machines that are never connected.',
      endpoints: [issueLicenseFile, createLicenseFile, listLicenseFiles],
    },
  ],
  tables: licenseFileTables,
  jobs: licenseFileJobs,
  ruleParts({ settings, clock }) {
    const signingKeys = new SigningKeys(settings.signingKeys);
    const given = { signingKeys, recentFiles: new RecentFiles() };
    return { given, open: (storage) => signingKeys.open(storage, clock) };
  },
} satisfies Slice;
