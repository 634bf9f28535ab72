/** Dialogs about a text of e-mails. */
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { DeleteMailTemplateRequest, SendTestMailRequest } from '../api/contract.ts';
import { TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';

interface SendTestDialogProps {
  readonly request: Omit<SendTestMailRequest, 'to'>;
  readonly onClose: () => void;
}

/** Sends the e-mail with the values of an example. */
export function SendTestDialog({ request, onClose }: SendTestDialogProps) {
  const [to, setTo] = useState('');
  return (
    <WriteDialog
      path="/sendTestMail"
      title="Send a test"
      description="One address gets this e-mail with the values of an example, three times a day at most."
      verb="Send"
      request={to.trim() === '' ? null : { ...request, to: to.trim() }}
      onClose={onClose}
      onDone={() => toast({ title: `The test goes to ${to.trim()}.` })}
    >
      <TextField label="To" type="email" value={to} onChange={setTo} required />
    </WriteDialog>
  );
}

interface DeleteTextDialogProps {
  readonly request: DeleteMailTemplateRequest;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Deletes an own text. */
export function DeleteTextDialog({ request, onDone, onClose }: DeleteTextDialogProps) {
  return (
    <WriteDialog
      path="/deleteMailTemplate"
      title="Delete the text"
      description="E-mails have your text for all products from now on, else the built-in one."
      verb="Delete text"
      danger
      request={request}
      onClose={onClose}
      onDone={() => {
        onDone();
        toast({ title: 'The text was deleted.' });
      }}
    />
  );
}
