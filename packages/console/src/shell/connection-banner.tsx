/**
 * Warns that the service does not answer, or that the computer is offline, and tells the age of the data on screen.
 * Asks the service for signs of life, and refetches everything on screen when it is back.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { serviceAnswers, useConnection } from '../api/connection.ts';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/now.ts';
import { Time } from '../parts/time.tsx';
import styles from './connection-banner.module.css';

/** Seconds between signs of life while the service does not answer. */
const EVERY_SECONDS = 5;

/** Renders nothing while the service answers. */
export function ConnectionBanner() {
  const client = useQueryClient();
  const connection = useConnection();
  const wasAway = useRef(false);
  useNow();
  useEffect(() => {
    if (connection === 'there') {
      if (wasAway.current) void client.invalidateQueries();
      wasAway.current = false;
      return;
    }
    wasAway.current = true;
    // The computer may have come back to the network a moment ago.
    if (connection === 'away') void serviceAnswers();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void serviceAnswers();
    }, EVERY_SECONDS * 1000);
    return () => clearInterval(timer);
  }, [client, connection]);
  const oldest = oldestInSight(client);
  return (
    <div role="status">
      {connection !== 'there' && (
        <p className={styles.banner}>
          <span className={styles.words}>
            {connection === 'offline' ? 'No connection.' : 'The service does not answer.'}{' '}
            {oldest !== null && (
              <>
                What you see was read <Time at={oldest} />.{' '}
              </>
            )}
            Nothing can be changed until {connection === 'offline' ? 'the connection is back' : 'it answers again'}.
          </span>
          <Button small onClick={() => void serviceAnswers()}>
            Try now
          </Button>
        </p>
      )}
    </div>
  );
}

/** The time of the oldest read in sight (ISO 8601); null if nothing was read. The session is of the shell. */
function oldestInSight(client: QueryClient): string | null {
  const times = client
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ queryKey: [path], state }) => path !== '/getConsoleSession' && state.dataUpdatedAt > 0)
    .map(({ state }) => state.dataUpdatedAt);
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}
