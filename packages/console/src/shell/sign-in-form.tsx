/** The form that exchanges a secret for a session. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { call } from '../api/call.ts';
import type { RequestOf } from '../api/contract.ts';
import { asRefusal } from '../api/refusal.ts';
import { Button } from '../parts/button.tsx';
import { Checkbox, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import styles from './sign-in.module.css';
import type { WaysIn } from './ways-in.ts';

/** Opens a session. @throws Refusal */
export function signIn(request: RequestOf<'/createConsoleSession'>): Promise<unknown> {
  return call('/createConsoleSession', request, { withoutSigningIn: true });
}

/** Fields for the secret and the name. */
export function SignInForm({
  onSignedIn,
  autoFocus,
  ways,
}: {
  readonly onSignedIn: () => void;
  readonly autoFocus: boolean;
  /** Undefined until they are known. */
  readonly ways: WaysIn | undefined;
}) {
  const takesAdminSecret = ways?.adminSecret !== false;
  const [secret, setSecret] = useState('');
  const [name, setName] = useState('');
  const [keep, setKeep] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const entering = useMutation({ mutationFn: signIn, onSuccess: onSignedIn });
  useEffect(() => {
    if (autoFocus) field.current?.focus();
  }, [autoFocus]);
  const refusal = entering.error === null ? null : asRefusal(entering.error);
  const send = () => {
    if (secret.trim() === '') return field.current?.focus();
    const given = name.trim();
    entering.mutate({ secret: secret.trim(), keep, ...(given === '' ? {} : { name: given }) });
  };
  return (
    <Form className={styles.form} onSubmit={send}>
      <TextField
        ref={field}
        label="Secret or key"
        hint={
          takesAdminSecret
            ? "The admin secret, an operator key, or a creator's API key."
            : "An operator key or a creator's API key."
        }
        type="password"
        autoComplete="current-password"
        value={secret}
        onChange={setSecret}
        required
      />
      {takesAdminSecret && (
        <TextField
          label="Your name"
          hint="Shown in the activity log when you use the admin secret."
          autoComplete="name"
          value={name}
          onChange={setName}
          maxLength={100}
        />
      )}
      <Checkbox label="Keep me signed in for 7 days" checked={keep} onChange={setKeep} />
      {refusal !== null &&
        (refusal.code === 'unauthorized' ? (
          <Notice alert tone="danger" title="This secret or key is not accepted.">
            It may have been revoked or changed. Check that it was copied whole.
          </Notice>
        ) : (
          <RefusalNotice refusal={refusal} />
        ))}
      <Button type="submit" look={ways?.provider ? 'plain' : 'primary'} pending={entering.isPending}>
        Sign in
      </Button>
    </Form>
  );
}
