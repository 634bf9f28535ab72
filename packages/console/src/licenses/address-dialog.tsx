/** Gives the licenses of a customer another address. */
import { useState } from 'react';
import { addressesBack, useUndoOfRequest } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { counted } from '../parts/count-words.ts';
import { TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { pageOf } from './customer-words.ts';
import { JoinedCustomers } from './joined-customers.tsx';

interface AddressDialogProps {
  readonly email: string;
  readonly onClose: () => void;
}

/** Gives all licenses of the customer another address, and goes to its page. */
export function AddressDialog({ email, onClose }: AddressDialogProps) {
  const [newEmail, setNewEmail] = useState('');
  const undo = useUndoOfRequest();
  const given = newEmail.trim();
  const isOther = given.includes('@') && given.toLowerCase() !== email;
  return (
    <WriteDialog
      path="/changeEmail"
      request={isOther ? { newEmail: given, email } : null}
      title="Change the address"
      description={`All licenses of ${email} get the new address. Keys stay the same, and orders keep the address that they were bought with. Activity can undo it, too.`}
      verb="Change"
      onClose={onClose}
      onDone={({ changed, remaining }, requestId) => {
        toast({
          title: `${counted(changed, 'license')} of ${email} got the address ${given}.`,
          ...(remaining ? { detail: 'More are left: press again.' } : {}),
          ...(changed === 0 ? {} : undo(requestId, '/changeEmail', addressesBack(email))),
        });
        if (remaining) return 'stay';
        location.hash = pageOf(given.toLowerCase());
        return undefined;
      }}
    >
      <TextField label="New address" type="email" value={newEmail} onChange={setNewEmail} />
      <JoinedCustomers email={email} given={newEmail} />
    </WriteDialog>
  );
}
