/**
 * Dialogs that change the state or the owner of a license: revoke, reinstate, remove all machines, lift the hourly
 * limit, mail the key, change the e-mail address.
 */
import { useState } from 'react';
import { removalOfAllEffect } from '../actions/machine-removal.ts';
import { readNotice } from '../actions/refusal-notice.tsx';
import { undoOfAddress, undoOfRevocation } from '../actions/undo.ts';
import { addressesBack, useUndoOfRequest, useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Revocation, RevocationReason } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { counted } from '../parts/count-words.ts';
import { Checkbox, SelectField, TextField } from '../parts/field.tsx';
import { useNow } from '../parts/now.ts';
import { toast } from '../parts/toast.tsx';
import { useTypedCount } from '../parts/typed-count.tsx';
import type { LicenseDialogProps } from './change-dialogs.tsx';
import { whyRequest } from './first-reads.ts';
import { JoinedCustomers } from './joined-customers.tsx';
import { LanguageField, useMailLanguage } from './mail-language.tsx';
import { REASONS } from './reasons.ts';
import { revocationIn } from './words.ts';

/** Revokes the license; one press undoes it for half a minute. */
export function RevokeDialog({ license, activationCount, onClose }: LicenseDialogProps) {
  const [reason, setReason] = useState('');
  const undo = useUndoToast();
  return (
    <WriteDialog
      path="/revokeLicense"
      request={{
        licenseKey: license.key,
        ...(reason === '' ? {} : { reason: reason as RevocationReason }),
        wasRevocation: null,
      }}
      title="Revoke this license"
      description={
        activationCount === 0
          ? 'No machine uses it. Apps that show its key are refused from now on.'
          : `${counted(activationCount, 'machine')} ${activationCount === 1 ? 'stops' : 'stop'} working with the next check. It can be reinstated; then they work again. That resolves open violations of the highest level.`
      }
      verb="Revoke"
      danger
      onClose={onClose}
      onDone={() =>
        toast({
          title: `The license of ${license.email} is revoked.`,
          ...undo(undoOfRevocation(license.key, reason === '' ? 'plain' : reason, `license of ${license.email}`)),
        })
      }
    >
      <SelectField
        label="Reason"
        hint="A reason is recorded as a violation of the highest level."
        value={reason}
        onChange={setReason}
        options={REASONS}
      />
    </WriteDialog>
  );
}

/** Lifts the revocation that it was opened for. One that arrives meanwhile, such as a chargeback, stays. */
export function ReinstateDialog({ license, onClose }: Pick<LicenseDialogProps, 'license' | 'onClose'>) {
  const undo = useUndoOfRequest();
  const read = useRead('/explainLicense', whyRequest(license.key, ''));
  const [seen, setSeen] = useState<Revocation | null>();
  if (seen === undefined && read.data !== undefined && !read.isFetching) setSeen(revocationIn(read.data));
  const because =
    seen === 'chargeback'
      ? ' It was revoked because the bank took the payment back: make sure that this is settled.'
      : '';
  return (
    <WriteDialog
      path="/reinstateLicense"
      request={seen === undefined ? null : { licenseKey: license.key, wasRevocation: seen }}
      title="Reinstate this license"
      description={`Its machines work again after their next check, and its open violations of the highest level are resolved, which cannot be undone.${because}`}
      verb="Reinstate"
      onClose={onClose}
      onDone={({ license: { status } }, requestId) =>
        toast({
          title:
            status === 'expired'
              ? `The revocation is lifted; the license of ${license.email} has expired.`
              : `The license of ${license.email} is reinstated.`,
          ...undo(requestId, '/revokeLicense', () => `The license of ${license.email} is revoked again.`),
        })
      }
    >
      {readNotice(read) ?? undefined}
    </WriteDialog>
  );
}

/** The props of {@link ResetDialog}. */
export interface ResetDialogProps extends LicenseDialogProps {
  /** Reports the success; a toast by default. */
  readonly onDone?: () => void;
}

/** Removes all machines. */
export function ResetDialog({ license, activationCount, activations, onClose, onDone }: ResetDialogProps) {
  const now = useNow();
  const [isConfirmed, confirming] = useTypedCount(activationCount);
  return (
    <WriteDialog
      path="/resetActivations"
      request={isConfirmed ? { licenseKey: license.key } : null}
      title="Remove all machines"
      description={removalOfAllEffect(activationCount, activations, now)}
      verb={`Remove ${activationCount}`}
      danger
      onClose={onClose}
      onDone={onDone ?? (() => toast({ title: `All machines of the license of ${license.email} were removed.` }))}
    >
      {confirming}
    </WriteDialog>
  );
}

/** Clears the activation attempts of the last hour. */
export function LiftDialog({ license, onClose }: LicenseDialogProps) {
  return (
    <WriteDialog
      path="/liftActivationLimit"
      request={{ licenseKey: license.key }}
      title="Lift the hourly limit"
      description="Forgets the activation attempts of the last hour, so that 15 more are allowed now. This cannot be undone. Nothing else changes."
      verb="Lift the limit"
      onClose={onClose}
      onDone={() => toast({ title: `The license of ${license.email} may be activated again now.` })}
    />
  );
}

/** Mails the key to the address of the license. */
export function MailKeyDialog({ license, onClose }: LicenseDialogProps) {
  const [language, setLanguage] = useMailLanguage(license.key);
  return (
    <WriteDialog
      path="/mailLicense"
      request={{ licenseKey: license.key, language }}
      title="Mail the key"
      description={`The key is mailed to ${license.email}, the address of the license, and to nobody else. An e-mail cannot be called back.`}
      verb="Mail"
      onClose={onClose}
      onDone={({ to }) => toast({ title: `The key is on its way to ${to}.` })}
    >
      <LanguageField language={language} onChange={setLanguage} />
    </WriteDialog>
  );
}

/** Gives the license, or all licenses of the customer, another address. */
export function EmailDialog({ license, onClose }: LicenseDialogProps) {
  const [newEmail, setNewEmail] = useState('');
  const [isAll, setAll] = useState(false);
  const given = newEmail.trim();
  const [wasEmail] = useState(license.email);
  const undoAll = useUndoOfRequest();
  const which = isAll ? { email: wasEmail } : { licenseKey: license.key, wasEmail };
  const undo = useUndoToast();
  return (
    <WriteDialog
      path="/changeEmail"
      request={given.includes('@') && given !== license.email ? { newEmail: given, ...which } : null}
      title="Change e-mail address"
      description={`It belongs to ${license.email}. The key stays the same.`}
      verb="Change"
      onClose={onClose}
      onDone={({ changed, remaining }, requestId) => {
        toast({
          title: isAll
            ? `${counted(changed, 'license')} of ${wasEmail} got the address ${given}.`
            : `The license of ${wasEmail} got the address ${given}.`,
          ...(remaining ? { detail: 'More are left: press again.' } : {}),
          ...(changed === 0
            ? {}
            : isAll
              ? undoAll(requestId, '/changeEmail', addressesBack(wasEmail))
              : undo(undoOfAddress(license.key, wasEmail, given))),
        });
        return remaining ? 'stay' : undefined;
      }}
    >
      <TextField label="New address" type="email" value={newEmail} onChange={setNewEmail} />
      <JoinedCustomers email={wasEmail} given={newEmail} />
      <Checkbox label="All licenses of this customer" checked={isAll} onChange={setAll} />
    </WriteDialog>
  );
}
