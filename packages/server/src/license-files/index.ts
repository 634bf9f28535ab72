/** Signed license files, in the order of rules 4.12. */
import { createLicenseFile } from './create-license-file.ts';
import { issueLicenseFile } from './issue-license-file.ts';
import { listLicenseFiles } from './list-license-files.ts';

export const licenseFileEndpoints = [issueLicenseFile, createLicenseFile, listLicenseFiles];
