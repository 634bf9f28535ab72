/**
 * Asks the person to sign in again after the session ended, above the present screen, so that no typed text is lost.
 */
import { useEffect, useState } from 'react';
import { onSessionOver } from '../api/call.ts';
import { late } from '../api/late.tsx';
import { afterFirstOfAll } from '../api/order.ts';
import { Dialog } from '../parts/dialog.tsx';

const SignInAgainForm = late(async () => (await import('./sign-in.tsx')).SignInAgainForm);

/** Calls that wait for the person. */
let waiting: ((isSignedIn: boolean) => void)[] = [];

/** The dialog. Rendered once, by the shell. */
export function SignInAgain({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    void afterFirstOfAll().then(SignInAgainForm.preload);
    onSessionOver(
      () =>
        new Promise((resolve) => {
          waiting.push(resolve);
          setAsking(true);
        }),
    );
    return () => onSessionOver(async () => false);
  }, []);
  const end = (isSignedIn: boolean) => {
    const all = waiting;
    waiting = [];
    setAsking(false);
    for (const resolve of all) resolve(isSignedIn);
    if (isSignedIn) onSignedIn();
  };
  return (
    <Dialog
      open={isAsking}
      onClose={() => end(false)}
      title="Sign in again"
      description="Your session has ended. Sign in to continue where you left off."
      stays
    >
      <SignInAgainForm onSignedIn={() => end(true)} />
    </Dialog>
  );
}
