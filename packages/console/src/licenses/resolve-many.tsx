import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import { counted, countText } from '../parts/count-words.ts';
import { Checkbox } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import type { ManyProps } from './many-props.ts';
import { useNoteField } from './note-field.tsx';

/** Resolves the open violations of each license. */
export function ResolveMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [staysRevoked, setStaysRevoked] = useState(false);
  const [note, noteOf] = useNoteField();
  const revoked = keys.filter((key) => chosen.get(key)?.status === 'revoked').length;
  const open = async (licenseKey: string) => {
    const { violations } = await call('/getLicense', { licenseKey, activationLimit: 1 });
    const violationIds = violations.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id);
    return violationIds.length === 0 ? null : { licenseKey, violationIds, ...(staysRevoked ? { staysRevoked } : {}) };
  };
  return (
    <BulkDialog
      path="/resolveLicense"
      names={keys}
      requestOf={(key) => () => open(key)}
      noteOf={noteOf}
      nameOf={nameOf}
      title={`Resolve the violations of ${counted(keys.length, 'license')}`}
      description="All open violations of each are marked as resolved, which cannot be undone."
      verb={`Resolve ${countText(keys.length)}`}
      onClose={onClose}
    >
      {revoked > 0 && !staysRevoked && (
        <Notice tone="danger" title={`${counted(revoked, 'license')} ${revoked === 1 ? 'is' : 'are'} revoked.`}>
          Resolving lifts a revocation for a refund or fraud: the apps work again.
        </Notice>
      )}
      {revoked > 0 && (
        <Checkbox label="Revoked licenses stay revoked" checked={staysRevoked} onChange={setStaysRevoked} />
      )}
      {note}
    </BulkDialog>
  );
}
