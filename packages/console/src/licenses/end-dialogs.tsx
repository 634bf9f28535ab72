/** Dialogs about the end of a license: one that gives it more time, and one that takes time away. */
import { type ReactNode, useState } from 'react';
import { undoOfUpdate } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { License, UpdateLicenseRequest } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DateField } from '../parts/field.tsx';
import { useNow } from '../parts/now.ts';
import { dayText } from '../parts/time-words.ts';
import { toast } from '../parts/toast.tsx';
import type { LicenseDialogProps } from './change-dialogs.tsx';
import { type Expiry, earlierEnd, extendedEnd, NO_EXPIRY } from './expiry.ts';
import { useExtensionChoice, useMaySetEnd } from './expiry-choice.ts';
import { ExpiryFields } from './expiry-fields.tsx';
import { endText, expiryText } from './words.ts';

/** Extends a license: it lasts longer afterwards, never shorter. One without an end has nothing to extend. */
export function ExtendDialog({ license, onClose }: LicenseDialogProps): ReactNode {
  // Fixed while the dialog is open: another end or time would make another request.
  const [before] = useState(license);
  const [openedAt] = useState(useNow());
  return before.expiresAt === null ? (
    <NothingToExtend license={before} onClose={onClose} />
  ) : (
    <ExtendEnd before={before} expiresAt={before.expiresAt} openedAt={openedAt} onClose={onClose} />
  );
}

function NothingToExtend({ license, onClose }: Pick<LicenseDialogProps, 'license' | 'onClose'>) {
  const maySetEnd = useMaySetEnd();
  const now = useNow();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Extend"
      description={`The license ${endText(license, now)}, so there is nothing to extend.${maySetEnd ? ' To let it expire, choose "Set an end date" under "More".' : ''}`}
      actions={<Button onClick={onClose}>Close</Button>}
    />
  );
}

interface ExtendEndProps {
  readonly before: License;
  readonly expiresAt: string;
  readonly openedAt: number;
  readonly onClose: () => void;
}

function ExtendEnd({ before, expiresAt, openedAt, onClose }: ExtendEndProps) {
  const [by, setBy] = useState<Expiry>(NO_EXPIRY);
  const choice = useExtensionChoice(['days', 'day', 'never']);
  const tellEnd = useTellEnd(before, openedAt);
  const isRunning = Date.parse(expiresAt) > openedAt;
  const end = extendedEnd(expiresAt, by, openedAt, choice.maxDays);
  return (
    <WriteDialog
      path="/updateLicense"
      request={end === undefined ? null : { licenseKey: before.key, expiresAt: end, wasExpiresAt: expiresAt }}
      title="Extend"
      description={`The license ${expiryText(expiresAt, openedAt)}.${isRunning ? '' : ' The days count from now.'}`}
      verb={extendVerb(end)}
      onClose={onClose}
      onDone={tellEnd}
    >
      <ExpiryFields
        expiry={by}
        onChange={setBy}
        from={isRunning ? 'after its end' : 'from now'}
        wrongDay={
          by.kind === 'day' && by.day !== '' && end === undefined
            ? `The license ends on ${dayText(expiresAt)}: choose a later day.`
            : undefined
        }
        {...choice}
      />
    </WriteDialog>
  );
}

function extendVerb(end: string | null | undefined): string {
  if (end === undefined) return 'Extend';
  return end === null ? 'Make it last for ever' : `Extend to ${dayText(end)}`;
}

/** Gives a license an end that it did not have, or an earlier one. */
export function SetEndDialog({ license, onClose }: LicenseDialogProps) {
  const [before] = useState(license);
  const { key, expiresAt } = before;
  const [openedAt] = useState(useNow());
  const [day, setDay] = useState('');
  const tellEnd = useTellEnd(before, openedAt);
  const end = earlierEnd(expiresAt, day);
  return (
    <WriteDialog
      path="/updateLicense"
      request={end === undefined ? null : { licenseKey: key, expiresAt: end, wasExpiresAt: expiresAt }}
      title="Set an end date"
      description={`The license ${endText(before, openedAt)}. This takes time away from the customer: after that day its machines stop at their next check.`}
      verb={end === undefined ? 'Set the end' : `Let it end on ${dayText(end)}`}
      danger
      onClose={onClose}
      onDone={tellEnd}
    >
      <DateField
        label="Last day"
        value={day}
        onChange={setDay}
        hint={
          end !== undefined && Date.parse(end) <= openedAt
            ? 'That day is in the past: the license expires at once.'
            : undefined
        }
        wrong={
          day !== '' && end === undefined && expiresAt !== null
            ? `The license ends on ${dayText(expiresAt)} anyway. "Extend" lets it last longer.`
            : undefined
        }
      />
    </WriteDialog>
  );
}

/** Reports the end of the license after a change, and offers to undo the change. */
function useTellEnd(before: License, now: number) {
  const undo = useUndoToast();
  return ({ license: after }: { readonly license: License }, _: string | null, sent: UpdateLicenseRequest) =>
    toast({
      title: `The license of ${after.email} ${expiryText(after.expiresAt, now)}.`,
      ...undo(undoOfUpdate(before, after, sent)),
    });
}
