/** A screen whose file could not be loaded. The page stays: a reload while the service is away would lose it. */
import { useEffect, useRef, useState } from 'react';
import { reloadIfThere, useConnection } from '../api/connection.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';

export interface NotLoadedProps {
  readonly title: string;
  /** Resolves to whether the file was loaded. */
  readonly retry: () => Promise<boolean>;
}

export function NotLoaded({ title, retry }: NotLoadedProps) {
  const [isTrying, setTrying] = useState(false);
  const isThere = useConnection() === 'there';
  const wasAway = useRef(false);
  const tryAgain = async () => {
    setTrying(true);
    // Chromium remembers the failure, and after an update of the service the file has another name.
    if (!(await retry())) await reloadIfThere();
    setTrying(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the return of the service triggers it
  useEffect(() => {
    if (isThere && wasAway.current) void tryAgain();
    wasAway.current = !isThere;
  }, [isThere]);
  return (
    <Page title={title}>
      <Empty
        title="This screen could not be loaded."
        actions={
          <Button look="primary" pending={isTrying} onClick={() => void tryAgain()}>
            Try again
          </Button>
        }
      >
        {isThere
          ? 'The service may have been updated since this page was opened.'
          : 'It is loaded as soon as the service answers. Screens that you opened before still open.'}
      </Empty>
    </Page>
  );
}
