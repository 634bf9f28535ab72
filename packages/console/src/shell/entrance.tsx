/** Shows the console to signed-in people, and the sign-in screen to everybody else. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { late } from '../api/late.tsx';
import { asRefusal } from '../api/refusal.ts';
import { SESSION, SessionContext } from '../api/session.ts';
import { returnToScreen } from './left-screen.ts';
import { createConsoleRouter } from './router.tsx';
import styles from './sign-in.module.css';

const SignIn = late(async () => (await import('./sign-in.tsx')).SignIn);

export function Entrance() {
  const client = useQueryClient();
  const [router] = useState(() => {
    returnToScreen();
    return createConsoleRouter();
  });
  const session = useQuery(SESSION);
  useEffect(() => {
    if (session.data === null) document.title = 'Sign in · Latchkey';
  }, [session.data]);
  if (session.isPending) return null;
  if (session.isError) {
    return (
      <main className={styles.screen}>
        <h1 className={styles.brand}>Latchkey</h1>
        <RefusalNotice refusal={asRefusal(session.error)} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (session.data === null) return <SignIn onSignedIn={() => void client.resetQueries()} />;
  return (
    <SessionContext value={session.data}>
      <RouterProvider router={router} />
    </SessionContext>
  );
}
