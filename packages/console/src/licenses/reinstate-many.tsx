import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import type { RequestOf } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { whyRequest } from './first-reads.ts';
import type { ManyProps } from './many-props.ts';
import { useNoteField } from './note-field.tsx';
import { revocationIn } from './words.ts';

/** Lifts each revocation as it is when it is lifted, and passes over licenses that are not revoked. */
export function ReinstateMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [note, noteOf] = useNoteField();
  const mayRevoke = useCan('/revokeLicense');
  // Fixed while the dialog is open: the rows change with the outcome.
  const [revoked] = useState(() => keys.filter((key) => chosen.get(key)?.status === 'revoked').length);
  const reinstatement = async (licenseKey: string): Promise<RequestOf<'/reinstateLicense'> | null> => {
    const wasRevocation = revocationIn(await call('/explainLicense', whyRequest(licenseKey, '')));
    return wasRevocation === null ? null : { licenseKey, wasRevocation };
  };
  return (
    <BulkDialog
      path="/reinstateLicense"
      names={keys}
      requestOf={(licenseKey) => () => reinstatement(licenseKey)}
      noteOf={noteOf}
      nameOf={nameOf}
      title={`Reinstate ${counted(revoked, 'license')}`}
      description="Their machines work again after their next check. Their open violations of the highest level are resolved, which cannot be undone. Revocations after a chargeback are lifted, too."
      verb={`Reinstate ${countText(revoked)}`}
      doneText={(count) => `${countText(count)} reinstated`}
      skippedText={(count) => `${countText(count)} ${count === 1 ? 'was' : 'were'} not revoked`}
      {...(mayRevoke
        ? {
            changeOf: (licenseKey: string, { wasRevocation = null }: RequestOf<'/reinstateLicense'>) => ({
              type: 'license.reinstated' as const,
              licenseKey,
              before: {
                revocation: wasRevocation,
                ...(wasRevocation === 'refund' || wasRevocation === 'chargeback'
                  ? { disputeReason: wasRevocation }
                  : {}),
              },
              after: { revocation: null },
            }),
          }
        : {})}
      onClose={onClose}
    >
      {note}
    </BulkDialog>
  );
}
