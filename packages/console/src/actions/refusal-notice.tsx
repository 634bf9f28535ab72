/** Shows why a call failed, and how to go on. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Refusal } from '../api/refusal.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Notice } from '../parts/notice.tsx';
import { RequestIds } from '../parts/request-id.tsx';

export interface RefusalNoticeProps {
  readonly refusal: Refusal;
  /** Tries again; absent if the button of the form does that. */
  readonly onRetry?: () => void;
  /** A way out of this refusal, for example a link. */
  readonly actions?: ReactNode;
}

/** A refusal within a screen or a dialog. Counts down the seconds if the service says when to try again. */
export function RefusalNotice({ refusal, onRetry, actions }: RefusalNoticeProps) {
  const { title, advice } = wordsFor(refusal);
  const seconds = useCountdown(refusal.retryAfterSeconds ?? 0, refusal);
  return (
    <Notice
      alert
      tone={refusal.passes ? 'warn' : 'danger'}
      title={title}
      actions={
        <>
          {actions}
          {onRetry !== undefined && (
            <Button small onClick={onRetry} disabled={seconds > 0}>
              Try again
            </Button>
          )}
        </>
      }
    >
      {advice}
      {seconds > 0 && ` Try again in ${counted(seconds, 'second')}.`}
      <RequestIds of={[refusal.requestId]} />
    </Notice>
  );
}

/**
 * The notice of a failed read; null without a failure. If the service does not answer while earlier data are in sight,
 * the banner above the screen says so for all reads.
 */
export function readNotice({
  data,
  error,
  refetch,
}: {
  readonly data: unknown;
  readonly error: Refusal | null;
  readonly refetch: () => unknown;
}): ReactNode {
  if (error === null || (error.code === 'unreachable' && data !== undefined)) return null;
  return <RefusalNotice refusal={error} onRetry={() => void refetch()} />;
}

function useCountdown(from: number, refusal: Refusal): number {
  const [left, setLeft] = useState(from);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal restarts the countdown, even with the same seconds
  useEffect(() => {
    setLeft(from);
    if (from === 0) return;
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000);
    return () => clearInterval(timer);
  }, [from, refusal]);
  return left;
}
