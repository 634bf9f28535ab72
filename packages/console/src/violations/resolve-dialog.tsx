import { useEffect, useMemo, useState } from 'react';
import { requestIdOfState, useBulk } from '../actions/bulk.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import type { ViolationOfLicense } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Checkbox, Fields } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { toast } from '../parts/toast.tsx';
import { useTypedCount } from '../parts/typed-count.tsx';
import { liftedText, mayLift, resolutionsOf } from './requests.ts';
import { ResolutionPreview } from './resolution-preview.tsx';
import styles from './violations.module.css';

/** Maximum number of licenses with a preview, because each preview is a call. */
const MAX_FORESEEN = 20;

export interface ResolveDialogProps {
  readonly violations: readonly ViolationOfLicense[];
  /** Whether revoked licenses stay revoked unless the person says otherwise. */
  readonly keepsRevoked: boolean;
  readonly onClose: () => void;
  /** Called when all of them are resolved. */
  readonly onResolved: () => void;
}

/** Resolves violations of one or many licenses, after a preview. */
export function ResolveDialog({ violations, keepsRevoked, onClose, onResolved }: ResolveDialogProps) {
  // The violations are fixed when the dialog opens, even if the list behind it is refetched.
  const [fixed] = useState(violations);
  const [staysRevoked, setStaysRevoked] = useState(keepsRevoked);
  const resolutions = useMemo(() => resolutionsOf(fixed, staysRevoked), [fixed, staysRevoked]);
  const lifted = new Set(fixed.filter(mayLift).map(({ licenseKey }) => licenseKey)).size;
  const count = resolutions.reduce((sum, { request }) => sum + request.violationIds.length, 0);
  const [isConfirmed, confirming] = useTypedCount(count);
  const requests = useMemo(
    () => new Map(resolutions.map(({ licenseKey, request }) => [licenseKey, request])),
    [resolutions],
  );
  const bulk = useBulk('/resolveLicense', requests);
  const [alone] = resolutions.length === 1 ? resolutions : [];
  const whose = alone === undefined ? counted(resolutions.length, 'license') : `the license of ${alone.email}`;
  const isDone = !bulk.isRunning && bulk.done === resolutions.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports once, when the last one is done
  useEffect(() => {
    if (!isDone) return;
    toast({
      title: `${counted(count, 'violation')} of ${whose} ${count === 1 ? 'is' : 'are'} resolved.`,
      requestIds: [...bulk.states.values()].map(requestIdOfState).filter((id) => id !== null),
    });
    onResolved();
  }, [isDone]);
  // Refused ones are always listed.
  const listed = resolutions.filter(
    ({ licenseKey }, at) => at < MAX_FORESEEN || bulk.states.get(licenseKey)?.state === 'refused',
  );
  const further = resolutions.length - listed.length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={count === 1 ? 'Resolve this violation?' : `Resolve ${count} violations?`}
      description="This cannot be undone. It stays in the history of the license. If it happens again, it is listed again."
      actions={
        <>
          {alone && <CopyAsCurl path="/resolveLicense" request={alone.request} />}
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!isConfirmed} pending={bulk.isRunning} onClick={() => void bulk.run()}>
            {bulk.refused > 0 ? 'Try again' : 'Resolve'}
          </Button>
        </>
      }
    >
      <ul className={styles.previews} aria-label="Result">
        {listed.map((resolution) => (
          <ResolutionPreview
            key={resolution.licenseKey}
            resolution={resolution}
            state={bulk.states.get(resolution.licenseKey)}
          />
        ))}
        {further > 0 && <li>{`And ${counted(further, 'more license')}.`}</li>}
      </ul>
      {lifted > 0 && !staysRevoked && (
        <Notice tone="danger" title={liftedText(lifted)}>
          To settle the violations alone, leave the licenses revoked.
        </Notice>
      )}
      {(lifted > 0 || confirming !== null) && (
        <Fields>
          {lifted > 0 && (
            <Checkbox
              label={lifted === 1 ? 'The license stays revoked' : 'These licenses stay revoked'}
              hint="Only reinstating lifts the revocation then."
              checked={staysRevoked}
              onChange={setStaysRevoked}
              disabled={bulk.states.size > 0}
            />
          )}
          {confirming}
        </Fields>
      )}
    </Dialog>
  );
}
