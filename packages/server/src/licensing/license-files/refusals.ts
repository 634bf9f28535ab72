/** Refusals about license files. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const licenseFileRefusals = refusals('license files', {
  license_files_not_offered: refusal(403, 'License files are not offered for this license', {
    means: 'The operator has switched off the files that apps fetch, for licenses of this type.',
    remedy: 'To offer them, set LATCHKEY_LICENSE_FILE_LIFETIME or LATCHKEY_FLOATING_FILE_LIFETIME.',
    app: 'Runs without a file while the service answers.',
    console: ['License files are not offered for this license.', 'Its expiry or its type does not allow them.'],
  }),
  too_many_license_files: refusal(403, 'Too many license files are in use. Try again after {time}', {
    means: 'Too many machines hold a file of this license; another is issued when the first of them expires.',
    remedy: 'Wait. Released machines keep their file until it expires; /listLicenseFiles shows them.',
    app: 'Runs without a file while the service answers, and asks again at most once an hour.',
    console: [null, 'Nothing was changed.'],
  }),
  license_file_rate: refusal(429, 'Too many license files for this machine. Try again later.', {
    means: 'The machine has fetched 10 license files within an hour.',
    remedy: 'Wait for `Retry-After`. An app fetches a file after `renewAfter`, not at every start.',
    app: 'Keeps running as after its last good answer, with its present file, and asks again at most once an hour.',
    console: [null, 'Nothing was changed.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof licenseFileRefusals> {}
}
