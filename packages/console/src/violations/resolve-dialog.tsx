import { useEffect, useMemo, useState } from 'react';
import { requestIdOfState, useBulk } from '../actions/bulk.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import type { ViolationOfLicense } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Fields } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { useTypedCount } from '../parts/typed-count.tsx';
import { resolutionsOf } from './requests.ts';
import { ResolutionPreview } from './resolution-preview.tsx';
import styles from './violations.module.css';

/** Maximum number of licenses with a preview, because each preview is a call. */
const MAX_FORESEEN = 20;

export interface ResolveDialogProps {
  readonly violations: readonly ViolationOfLicense[];
  readonly onClose: () => void;
  /** Called when all of them are resolved. */
  readonly onResolved: () => void;
}

/** Resolves violations of one or many licenses, after a preview. */
export function ResolveDialog({ violations, onClose, onResolved }: ResolveDialogProps) {
  // The violations are fixed when the dialog opens, even if the list behind it is refetched.
  const [resolutions] = useState(() => resolutionsOf(violations));
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
      {confirming !== null && <Fields>{confirming}</Fields>}
    </Dialog>
  );
}
