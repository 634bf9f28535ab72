/** The sign-in screen. Links with a one-time code, `#/sign-in?code=…`, sign in automatically. */
import { useEffect, useState } from 'react';
import { Notice } from '../parts/notice.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { Mark } from './mark.tsx';
import styles from './sign-in.module.css';
import { SignInForm, signIn } from './sign-in-form.tsx';

/** The code of a sign-in link. Removed from the address so that the browser's history does not keep it. */
function takeCode(): string | null {
  const [path, query = ''] = location.hash.slice(1).split('?');
  if (path !== '/sign-in') return null;
  const code = new URLSearchParams(query).get('code');
  history.replaceState(history.state, '', '#/');
  return code;
}

// One file with the form, which is shown again when the session ended.
export { SignInForm };

export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [code, setCode] = useState(takeCode);
  const [isLinkSpent, setLinkSpent] = useState(false);
  useEffect(() => {
    const changed = () => {
      const next = takeCode();
      if (next !== null) setCode(next);
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
          <SignInForm onSignedIn={onSignedIn} autoFocus />
          <p className={styles.more}>
            Nothing at hand? The operator of the service prints a link with <code>latchkey sign-in-link</code>.{' '}
            <a href="../docs">Reference</a>
          </p>
        </>
      )}
    </main>
  );
}
