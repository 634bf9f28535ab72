import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import type { RevocationReason } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { SelectField } from '../parts/field.tsx';
import type { ManyProps } from './many-props.ts';
import { useNoteField } from './note-field.tsx';
import { REASONS } from './reasons.ts';

/** Revokes each license, and leaves those that are revoked already. */
export function RevokeMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [reason, setReason] = useState('');
  const [note, noteOf] = useNoteField();
  const mayReinstate = useCan('/reinstateLicense');
  // Fixed while the dialog is open: the rows change with the outcome.
  const [revoked] = useState(() => new Set(keys.filter((key) => chosen.get(key)?.status === 'revoked')));
  const wasRevoked = (key: string) => revoked.has(key);
  return (
    <BulkDialog
      path="/revokeLicense"
      names={keys}
      requestOf={(licenseKey) => ({
        licenseKey,
        ...(reason === '' ? {} : { reason: reason as RevocationReason }),
        // One that was not revoked is refused if somebody has revoked it since.
        ...(wasRevoked(licenseKey) ? {} : { wasRevocation: null }),
      })}
      {...(mayReinstate
        ? {
            changeOf: (licenseKey: string) =>
              wasRevoked(licenseKey)
                ? null
                : {
                    type: 'license.revoked' as const,
                    licenseKey,
                    before: { revocation: null },
                    after: { revocation: reason === '' ? 'plain' : reason },
                  },
          }
        : {})}
      noteOf={noteOf}
      nameOf={nameOf}
      title={`Revoke ${counted(keys.length, 'license')}`}
      description={`Their apps stop working with the next check. Each can be reinstated.${revoked.size === 0 ? '' : ` ${alreadyText(revoked.size)}.`}`}
      verb={`Revoke ${countText(keys.length)}`}
      danger
      onClose={onClose}
    >
      <SelectField label="Reason" value={reason} onChange={setReason} options={REASONS} />
      {note}
    </BulkDialog>
  );
}

/** The licenses that were revoked before. */
function alreadyText(count: number): string {
  return count === 1
    ? 'One is revoked already; "Undo" leaves it revoked'
    : `${countText(count)} are revoked already; "Undo" leaves them revoked`;
}
