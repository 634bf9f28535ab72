/** The ways in for a person whose session ended during work. */
import { useEffect } from 'react';
import { call } from '../api/call.ts';
import button from '../parts/button.module.css';
import { classes } from '../parts/classes.ts';
import styles from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';
import { PROVIDER_ADDRESS, useWaysIn } from './ways-in.ts';

export function SignInAgainForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const ways = useWaysIn();
  const provider = ways?.provider;
  return (
    <div className={styles.again}>
      {provider && <OtherTab name={provider.name} onSignedIn={onSignedIn} />}
      <SignInForm onSignedIn={onSignedIn} autoFocus ways={ways} />
    </div>
  );
}

/** Signs in with the provider in another tab, so that this one keeps the typed text, and goes on when that is done. */
function OtherTab({ name, onSignedIn }: { readonly name: string; readonly onSignedIn: () => void }) {
  useEffect(() => {
    const look = () => void call('/getConsoleSession', {}, { withoutSigningIn: true }).then(onSignedIn, () => {});
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [onSignedIn]);
  return (
    <>
      <a
        className={classes(button.button, button.primary)}
        href={PROVIDER_ADDRESS}
        target="_blank"
        rel="noopener noreferrer"
      >
        Sign in with {name} in another tab
      </a>
      <p className={styles.or}>or with a secret</p>
    </>
  );
}
