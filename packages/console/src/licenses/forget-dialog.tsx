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
import { Checkbox, Fields, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { tellOf, toast } from '../parts/toast.tsx';
import {
  forgettingText,
  formerText,
  goingTexts,
  listText,
  pageOf,
  replacedBy,
  replacedText,
  STAYS,
} from './customer-words.ts';
import styles from './licenses.module.css';

interface ForgetDialogProps {
  readonly customer: Customer;
  readonly onClose: () => void;
}

/** Asks for the address before it begins. Closing it while calls run stops it, so that nothing goes on unseen. */
export function ForgetDialog({ customer, onClose }: ForgetDialogProps) {
  const { email, formerEmails } = customer;
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  // An address that other licenses have now may be somebody else's.
  const [along, setAlong] = useState<ReadonlySet<string>>(
    () => new Set(formerEmails.filter(({ licenseCount }) => licenseCount === 0).map((former) => former.email)),
  );
  // The address itself comes last: once it is gone, nothing leads to the former ones.
  const addresses = [...along, email];
  const { state, replies, refusal, run, stop } = useForgetting(addresses);
  const reply = replies.length === 0 ? null : replacedBy(replies);
  const isConfirmed = typed.trim().toLowerCase() === email;
  const leave = () => {
    if (reply !== null) void refreshAfter(client, '/forgetCustomer');
    onClose();
  };
  if (replies.length === addresses.length && replies.every(({ complete }) => complete))
    return <Forgotten addresses={addresses} replies={replies} onClose={leave} />;
  const isIdle = state === 'idle';
  const progress = forgettingText(state, reply);
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
          {formerEmails.map((former) => (
            <Checkbox
              key={former.email}
              label={`Also forget ${former.email}`}
              hint={formerText(former)}
              checked={along.has(former.email)}
              onChange={(isChosen) => {
                const next = new Set(along);
                if (isChosen) next.add(former.email);
                else next.delete(former.email);
                setAlong(next);
              }}
              disabled={!isIdle || reply !== null}
            />
          ))}
          <TextField
            label={`Type ${email} to confirm`}
            value={typed}
            onChange={setTyped}
            disabled={!isIdle || reply !== null}
          />
          {progress !== '' && <p role="status">{progress}</p>}
          {isIdle && <RequestIds of={replies.map(requestIdOf)} />}
          {refusal !== null && <RefusalNotice refusal={refusal} />}
        </Fields>
        <DialogActions>
          {addresses.length === 1 ? <CopyAsCurl path="/forgetCustomer" request={{ email }} /> : <span />}
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
 * Repeats the call for each address until it is complete. The call under way is the last one if somebody stops it, or
 * leaves the page.
 */
function useForgetting(addresses: readonly string[]) {
  const client = useQueryClient();
  const [state, setState] = useState<'idle' | 'running' | 'stopping'>('idle');
  /** The last reply of each address, in their order. */
  const [replies, setReplies] = useState<readonly ForgetCustomerReply[]>([]);
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
    const done = replies.filter(({ complete }) => complete);
    try {
      while (goesOn.current) {
        const email = addresses[done.length];
        if (email === undefined) break;
        // Without an Idempotency-Key, because each repeat continues the work.
        const answer = await call('/forgetCustomer', { email });
        setReplies([...done, answer]);
        if (answer.complete) done.push(answer);
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
  return { state, replies, refusal, run, stop };
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
  /** The forgotten addresses, that of the customer last. */
  readonly addresses: readonly string[];
  /** The last reply of each. */
  readonly replies: readonly ForgetCustomerReply[];
  readonly onClose: () => void;
}

/** The proof: the replaced addresses, their pseudonyms and the requests. */
function Forgotten({ addresses, replies, onClose }: ForgottenProps) {
  const replaced = replacedText(replacedBy(replies));
  const pseudonyms = replies.flatMap(({ pseudonym }) => pseudonym ?? []);
  const requestIds = replies.map(requestIdOf);
  const left = replies.at(-1)?.pseudonym ?? null;
  const proof = [
    `${addresses.length === 1 ? 'The address was' : `${addresses.length} addresses were`} forgotten on ${new Date().toISOString()}.`,
    `Replaced: ${replaced}.`,
    ...pseudonyms.map((pseudonym) => `Name in its place: ${pseudonym}`),
    ...requestIds.flatMap((requestId) => (requestId === null ? [] : [`Request: ${requestId}`])),
  ].join('\n');
  return (
    <Dialog
      open
      stays
      title="The customer is forgotten"
      description={`Nothing in the service holds ${listText(addresses)} any more.`}
      onClose={onClose}
      actions={
        <>
          <CopyButton text={proof} label="Copy the proof" look="plain" small={false}>
            Copy the proof
          </CopyButton>
          {left !== null && (
            <Button
              onClick={() => {
                onClose();
                location.hash = pageOf(left);
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
      <Notice tone="good" title={`Replaced: ${replaced}.`} alert>
        {pseudonyms.length > 0 && (
          <p>
            {pseudonyms.length === 1
              ? `In its place stands ${listText(pseudonyms)}.`
              : `In their places stand ${listText(pseudonyms)}.`}
          </p>
        )}
        <RequestIds of={requestIds} />
      </Notice>
    </Dialog>
  );
}
