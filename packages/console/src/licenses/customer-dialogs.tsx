/** Dialogs of a customer: change the address, and forget the customer. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyAsCurl } from '../actions/curl.tsx';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { addressesBack, useUndoOfRequest } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { call, requestIdOf } from '../api/call.ts';
import type { Customer, ForgetCustomerReply } from '../api/contract.ts';
import { refreshAfter } from '../api/keys.ts';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { toast } from '../parts/toast.tsx';
import { goingTexts, replacedText, STAYS } from './customer-words.ts';
import styles from './licenses.module.css';

/** The page of an address. */
const pageOf = (email: string) => `#/customers/${encodeURIComponent(email)}`;

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
    </WriteDialog>
  );
}

interface ForgetDialogProps {
  readonly customer: Customer;
  readonly onClose: () => void;
}

/**
 * Forgets the customer: lists the deleted and the kept data, asks for the address, repeats the call until it is
 * complete, and shows the replaced addresses.
 */
export function ForgetDialog({ customer, onClose }: ForgetDialogProps) {
  const { email } = customer;
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [reply, setReply] = useState<ForgetCustomerReply | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const isConfirmed = typed.trim().toLowerCase() === email;
  const forget = async () => {
    setRunning(true);
    setRefusal(null);
    try {
      for (let isComplete = false; !isComplete; ) {
        // Without an Idempotency-Key, because each repeat continues the work.
        const answer = await call('/forgetCustomer', { email });
        setReply(answer);
        isComplete = answer.complete;
      }
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setRunning(false);
  };
  const leave = () => {
    void refreshAfter(client, '/forgetCustomer');
    onClose();
  };
  if (reply?.complete === true) return <Forgotten email={email} reply={reply} onClose={leave} />;
  return (
    <Dialog
      open
      stays
      title="Forget this customer"
      description={`A random name takes the place of ${email} everywhere. This cannot be undone.`}
      onClose={reply === null ? onClose : leave}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed && !isRunning) void forget();
        }}
      >
        <Fields>
          <div className={styles.sides}>
            <Side title="Goes" lines={goingTexts(customer)} />
            <Side title="Stays" lines={STAYS} />
          </div>
          <TextField
            label={`Type ${email} to confirm`}
            value={typed}
            onChange={setTyped}
            disabled={isRunning || reply !== null}
          />
          {reply !== null && <p role="status">So far: {replacedText(reply.replaced)}.</p>}
          {refusal !== null && <RefusalNotice refusal={refusal} />}
        </Fields>
        <DialogActions>
          <CopyAsCurl path="/forgetCustomer" request={{ email }} />
          <Button onClick={reply === null ? onClose : leave}>Cancel</Button>
          <Button type="submit" look="danger" disabled={!isConfirmed} pending={isRunning}>
            {reply === null ? 'Forget' : 'Go on'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Side({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul className={styles.points}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

interface ForgottenProps {
  readonly email: string;
  readonly reply: ForgetCustomerReply;
  readonly onClose: () => void;
}

/** The proof: the replaced addresses, their pseudonym and the request. */
function Forgotten({ email, reply, onClose }: ForgottenProps) {
  const { pseudonym, replaced } = reply;
  const requestId = requestIdOf(reply);
  const proof = [
    `The address was forgotten on ${new Date().toISOString()}.`,
    `Replaced: ${replacedText(replaced)}.`,
    ...(pseudonym === null ? [] : [`Name in its place: ${pseudonym}`]),
    ...(requestId === null ? [] : [`Request: ${requestId}`]),
  ].join('\n');
  return (
    <Dialog
      open
      stays
      title="The customer is forgotten"
      description={`Nothing in the service holds ${email} any more.`}
      onClose={onClose}
      actions={
        <>
          <CopyButton text={proof} label="Copy the proof" look="plain" small={false}>
            Copy the proof
          </CopyButton>
          {pseudonym !== null && (
            <Button
              onClick={() => {
                onClose();
                location.hash = pageOf(pseudonym);
              }}
            >
              Show what is left
            </Button>
          )}
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Notice tone="good" title={`Replaced: ${replacedText(replaced)}.`} alert>
        {pseudonym !== null && <p>{`In its place stands ${pseudonym}.`}</p>}
        <RequestIds of={[requestId]} />
      </Notice>
    </Dialog>
  );
}
