/** License management, in the order of rules 4.2. */
import type { Slice } from '../../platform/slice/slice.ts';
import { addNote } from './admin/add-note.ts';
import { changeEmail } from './admin/change-email.ts';
import { createLicense } from './admin/create-license.ts';
import { deleteNote } from './admin/delete-note.ts';
import { endSession } from './admin/end-session.ts';
import { findLicenses } from './admin/find-licenses.ts';
import { getLicense } from './admin/get-license.ts';
import { liftActivationLimit } from './admin/lift-activation-limit.ts';
import { listLicenses } from './admin/list-licenses.ts';
import { listLiveSessions } from './admin/list-live-sessions.ts';
import { listUsers } from './admin/list-users.ts';
import { listViolations } from './admin/list-violations.ts';
import { reinstateLicense } from './admin/reinstate-license.ts';
import { releaseActivation } from './admin/release-activation.ts';
import { releaseUser } from './admin/release-user.ts';
import { resetActivations } from './admin/reset-activations.ts';
import { resolveLicense } from './admin/resolve-license.ts';
import { revokeLicense } from './admin/revoke-license.ts';
import { updateLicense } from './admin/update-license.ts';
import { licenseJobs } from './jobs.ts';
import { licenseRefusals } from './refusals.ts';
import { licenseTables } from './tables.ts';

export const licenses = {
  refusals: [licenseRefusals],
  sections: [
    {
      title: 'License management',
      description:
        'Issuing, reading and changing licenses. For the operator, and for creators within their own ' + 'products.',
      endpoints: [
        createLicense,
        getLicense,
        listLicenses,
        updateLicense,
        revokeLicense,
        reinstateLicense,
        resolveLicense,
        resetActivations,
        liftActivationLimit,
        releaseActivation,
        endSession,
        listUsers,
        releaseUser,
        addNote,
        deleteNote,
        changeEmail,
        listLiveSessions,
        listViolations,
        findLicenses,
      ],
    },
  ],
  tables: licenseTables,
  jobs: licenseJobs,
  ruleParts: ({ moveRows }) => ({ given: { moveRows } }),
} satisfies Slice;
