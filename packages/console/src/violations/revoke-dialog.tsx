import { useState } from 'react';
import { undoOfRevocation } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { RevocationReason, ViolationOfLicense } from '../api/contract.ts';
import { SelectField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';

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
  const undo = useUndoToast();
  const isRevoked = violation.licenseStatus === 'revoked';
  const revocation = reason === '' ? 'plain' : reason;
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
        ...(isRevoked ? {} : { wasRevocation: null }),
      }}
      onClose={onClose}
      onDone={() =>
        toast({
          title: `The license of ${email} is revoked.`,
          ...undo(isRevoked ? null : undoOfRevocation(licenseKey, revocation, `license of ${email}`)),
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
