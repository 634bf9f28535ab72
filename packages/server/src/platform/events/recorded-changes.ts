/** The topic of recorded changes: those who count changes, or have to act after one, receive it with the commit. */
import type { Topic } from '../../storage/contract/published.ts';

/** The part of a recorded change that commit listeners receive. */
export interface RecordedChange {
  /** The type of its event. */
  readonly type: string;
  readonly productId?: string | null;
  /** The new values of the changed fields. */
  readonly after?: Readonly<Record<string, unknown>> | null;
  /** `now` is the time of the decision, in milliseconds since 1970. */
  readonly origin: { readonly now: number };
}

export const recordedChanges: Topic<RecordedChange> = { name: 'recorded changes', isForEveryThread: false };
