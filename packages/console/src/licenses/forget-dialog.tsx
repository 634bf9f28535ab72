/** Forgets a customer: lists what goes and what stays, repeats the call until it is complete, and shows the proof. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyAsCurl } from '../actions/curl.tsx';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { call, requestIdOf } from '../api/call.ts';
import type { Customer, ForgetCustomerReply } from '../api/contract.ts';
import { refreshAfter } from '../api/keys.ts';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { tellOf, toast } from '../parts/toast.tsx';
import { forgettingText, goingTexts, pageOf, replacedText, STAYS } from './customer-words.ts';
import styles from './licenses.module.css';

interface ForgetDialogProps {
  readonly customer: Customer;
  readonly onClose: () => void;
}

/** Asks for the address before it begins. Closing it while calls run stops it, so that nothing goes on unseen. */
export function ForgetDialog({ customer, onClose }: ForgetDialogProps) {
  const { email } = customer;
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const { state, reply, refusal, run, stop } = useForgetting(email);
  const isConfirmed = typed.trim().toLowerCase() === email;
  const leave = () => {
    if (reply !== null) void refreshAfter(client, '/forgetCustomer');
    onClose();
  };
  if (reply?.complete === true) return <Forgotten email={email} reply={reply} onClose={leave} />;
  const isIdle = state === 'idle';
  const progress = forgettingText(state, reply?.replaced ?? null);
  return (
    <Dialog
      open
      stays
      title="Forget this customer"
      description={`A random name takes the place of ${email} everywhere. This cannot be undone.`}
      onClose={isIdle ? leave : stop}
    >
      <Form
        onSubmit={() => {
          if (isConfirmed && isIdle) void run();
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
            disabled={!isIdle || reply !== null}
          />
          {progress !== '' && <p role="status">{progress}</p>}
          {isIdle && reply !== null && <RequestIds of={[requestIdOf(reply)]} />}
          {refusal !== null && <RefusalNotice refusal={refusal} />}
        </Fields>
        <DialogActions>
          <CopyAsCurl path="/forgetCustomer" request={{ email }} />
          <Button onClick={isIdle ? leave : stop} pending={state === 'stopping'}>
            {!isIdle ? 'Stop' : reply === null ? 'Cancel' : 'Close'}
          </Button>
          <Button type="submit" look="danger" disabled={!isConfirmed} pending={!isIdle}>
            {reply === null ? 'Forget' : 'Go on'}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/**
 * Repeats the call until it is complete. The call under way is the last one if somebody stops it, or leaves the page.
 */
function useForgetting(email: string) {
  const client = useQueryClient();
  const [state, setState] = useState<'idle' | 'running' | 'stopping'>('idle');
  const [reply, setReply] = useState<ForgetCustomerReply | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const goesOn = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      goesOn.current = false;
    };
  }, []);
  const run = async () => {
    goesOn.current = true;
    setState('running');
    setRefusal(null);
    try {
      while (goesOn.current) {
        // Without an Idempotency-Key, because each repeat continues the work.
        const answer = await call('/forgetCustomer', { email });
        setReply(answer);
        if (answer.complete) goesOn.current = false;
        if (isGone.current) tellOfForgetting(email, answer);
      }
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setState('idle');
    if (isGone.current) void refreshAfter(client, '/forgetCustomer');
  };
  const stop = () => {
    goesOn.current = false;
    setState('stopping');
  };
  return { state, reply, refusal, run, stop };
}

/** Tells of the last call to a person who has left the page of the customer. */
function tellOfForgetting(email: string, reply: ForgetCustomerReply): void {
  const title = reply.complete ? `${email} is forgotten.` : `Forgetting ${email} has stopped.`;
  tellOf(requestIdOf(reply), () => toast({ title, detail: `Replaced: ${replacedText(reply.replaced)}.`, seconds: 30 }));
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
