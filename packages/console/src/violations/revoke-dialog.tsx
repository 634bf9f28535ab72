import { useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { undoOfRevocation } from '../actions/undo.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { RevocationReason, ViolationOfLicense } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { SelectField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';

/** Seconds in which the toast can undo the revocation. */
const UNDO_SECONDS = 30;

const REASONS = [
  { value: '', title: 'No reason' },
  { value: 'fraud', title: 'Fraud' },
  { value: 'refund', title: 'Refund' },
  { value: 'chargeback', title: 'Chargeback' },
];

/** Revokes the license of a violation. */
export function RevokeDialog({
  violation,
  onClose,
}: {
  readonly violation: ViolationOfLicense;
  readonly onClose: () => void;
}) {
  const { licenseKey, email, productId } = violation;
  const [reason, setReason] = useState('');
  const reinstate = useQuickChange('/reinstateLicense', ({ license }) =>
    toast({ title: `The license of ${email} is ${license.status} again.` }),
  );
  const mayUndo = useCan('/reinstateLicense');
  const takenBack = undoOfRevocation(licenseKey, reason === '' ? 'plain' : reason);
  return (
    <WriteDialog
      path="/revokeLicense"
      title="Revoke this license?"
      description={`${email} can no longer use ${productId} with it, on any machine, from the next check on.`}
      verb="Revoke"
      danger
      request={{
        licenseKey,
        ...(reason === '' ? {} : { reason: reason as RevocationReason }),
      }}
      onClose={onClose}
      onDone={() =>
        toast({
          title: `The license of ${email} is revoked.`,
          seconds: UNDO_SECONDS,
          ...(mayUndo && takenBack !== null
            ? { action: { title: 'Undo', run: () => void reinstate.make(takenBack) } }
            : {}),
        })
      }
    >
      <SelectField
        label="Reason"
        value={reason}
        onChange={setReason}
        options={REASONS}
        hint={reason === '' ? undefined : 'It is recorded as a separate violation.'}
      />
    </WriteDialog>
  );
}
