/** Makes a link with which the customer of a license signs in once, and offers it for copying. */
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { CreateCustomerLinkReply } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fields, SelectField } from '../parts/field.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import type { LicenseDialogProps } from './change-dialogs.tsx';
import styles from './licenses.module.css';

/** A new link, and the ID of the request that made it; null if unknown. */
interface Made {
  readonly link: CreateCustomerLinkReply;
  readonly requestId: string | null;
}

/** Validity in minutes, as text. */
const VALIDITIES = [
  { value: '60', title: '1 hour' },
  { value: '1440', title: '1 day' },
  { value: '4320', title: '3 days' },
] as const;

/** Mount it only while it is open. */
export function LinkDialog({ license, onClose }: LicenseDialogProps) {
  const [minutes, setMinutes] = useState<string>('60');
  const [made, setMade] = useState<Made | null>(null);
  const validity = VALIDITIES.find(({ value }) => value === minutes)?.title ?? '';
  if (made !== null) return <MadeLink {...made} email={license.email} validity={validity} onClose={onClose} />;
  return (
    <WriteDialog
      path="/createCustomerLink"
      request={{ licenseKey: license.key, minutes: Number(minutes) }}
      title="Link for the customer"
      description={`It signs ${license.email} in once, to see licenses and machines and to free a machine. Anybody who has it can do so.`}
      verb="Make the link"
      onClose={onClose}
      onDone={(link, requestId) => {
        setMade({ link, requestId });
        return 'stay';
      }}
    >
      <SelectField label="Works for" value={minutes} onChange={setMinutes} options={VALIDITIES} />
    </WriteDialog>
  );
}

interface MadeLinkProps extends Made {
  readonly email: string;
  /** The time until it ends: "1 hour". */
  readonly validity: string;
  readonly onClose: () => void;
}

function MadeLink({ link, requestId, email, validity, onClose }: MadeLinkProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      stays
      title="The link is ready"
      description={`It works once, within ${validity}, and is shown only now. Send it to ${email} and to nobody else.`}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <CopyButton text={link.url} label="Copy the link" look="primary" small={false}>
            Copy
          </CopyButton>
        </>
      }
    >
      <Fields>
        <code className={styles.link}>{link.url}</code>
        <RequestIds of={[requestId]} />
      </Fields>
    </Dialog>
  );
}
