/**
 * The sign-in screen. Links with a one-time code, `#/sign-in?code=…`, sign in automatically; `#/sign-in?refused=…` says
 * why an account of the identity provider did not.
 */
import { useEffect, useState } from 'react';
import words from '../api/sign-in-words.json';
import button from '../parts/button.module.css';
import { classes } from '../parts/classes.ts';
import { Notice } from '../parts/notice.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { keepScreen } from './left-screen.ts';
import { Mark } from './mark.tsx';
import styles from './sign-in.module.css';
import { SignInForm, signIn } from './sign-in-form.tsx';
import { PROVIDER_ADDRESS, useWaysIn } from './ways-in.ts';

/** What the address brought: the code of a sign-in link, or the reason of a refusal. */
interface Arrival {
  readonly code: string | null;
  readonly refused: string | null;
}

/** Removed from the address so that the browser's history does not keep it. */
function takeArrival(): Arrival {
  const [path, query = ''] = location.hash.slice(1).split('?');
  if (path !== '/sign-in') return { code: null, refused: null };
  const given = new URLSearchParams(query);
  history.replaceState(history.state, '', '#/');
  return { code: given.get('code'), refused: given.get('refused') };
}

// One file with the form, which is shown again when the session ended.
export { SignInAgainForm } from './sign-in-again-form.tsx';

export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [{ code, refused }, setArrival] = useState(takeArrival);
  const ways = useWaysIn();
  const [isLinkSpent, setLinkSpent] = useState(false);
  useEffect(() => {
    const changed = () => {
      const next = takeArrival();
      if (next.code !== null || next.refused !== null) setArrival(next);
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  // The code works once, so a re-render must not send it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (code === null) return;
    setLinkSpent(false);
    signIn({ code }).then(onSignedIn, () => setLinkSpent(true));
  }, [code]);
  return (
    <main className={styles.screen}>
      <h1 className={styles.brand}>
        <Mark /> Latchkey
      </h1>
      {code !== null && !isLinkSpent ? (
        <Loading what="the sign-in link" />
      ) : (
        <>
          {isLinkSpent && (
            <Notice alert tone="warn" title="This sign-in link is no longer valid.">
              It works once, for five minutes. Print another one, or sign in with a secret.
            </Notice>
          )}
          {refused !== null && <ProviderRefusal code={refused} />}
          {ways?.provider && (
            <>
              <a className={classes(button.button, button.primary)} href={PROVIDER_ADDRESS} onClick={keepScreen}>
                Sign in with {ways.provider.name}
              </a>
              <p className={styles.or}>or with a secret</p>
            </>
          )}
          <SignInForm onSignedIn={onSignedIn} autoFocus ways={ways} />
          <p className={styles.more}>
            Nothing at hand? The operator of the service prints a link with <code>latchkey sign-in-link</code>.{' '}
            <a href="../docs">Reference</a>
          </p>
        </>
      )}
    </main>
  );
}

/** Why the service did not let a person in whom the provider sent. */
function ProviderRefusal({ code }: { readonly code: string }) {
  const [title, advice] = Object.entries(words).find(([each]) => each === code)?.[1] ?? words.sign_in_failed;
  return (
    <Notice alert tone="warn" title={title ?? ''}>
      {advice}
    </Notice>
  );
}
