/** Short news of what was done, at the edge of the screen; screen readers say it. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from './button.tsx';
import { RequestIds } from './request-id.tsx';
import styles from './toast.module.css';

/** What a toast says. */
export interface ToastNews {
  readonly title: string;
  /** A further line. */
  readonly detail?: string;
  /** What can still be done about it, as "Undo". */
  readonly action?: { readonly title: string; readonly run: () => void };
  /** The numbers of the requests that it tells of, where they are not told by `tellOf`. */
  readonly requestIds?: readonly string[];
  /** Whether it tells of a refusal: its request changed nothing that could be shown. */
  readonly isRefusal?: boolean;
  /** How long it stays, in seconds; 6 unless given. */
  readonly seconds?: number;
}

interface Toast extends ToastNews {
  readonly id: number;
}

const STAYS_SECONDS = 6;
/** More than these are not in sight at once: the oldest goes. */
const AT_ONCE = 3;

/** The request that is being told of; see `tellOf`. */
let told: readonly string[] = [];
let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function replace(by: readonly Toast[]): void {
  toasts = by;
  for (const listener of listeners) listener();
}

/** Shows a toast. */
export function toast(news: ToastNews): void {
  replace([...toasts, { requestIds: told, ...news, id: next++ }].slice(-AT_ONCE));
}

/** Runs what tells of a request that was answered: each toast that it makes bears the number of that request. */
export function tellOf<Result>(requestId: string | null, tell: () => Result): Result {
  told = requestId === null ? [] : [requestId];
  try {
    return tell();
  } finally {
    told = [];
  }
}

function close(id: number): void {
  replace(toasts.filter((each) => each.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface ToastsProps {
  /** Where it is shown what a request changed; absent for those who may not see it. */
  readonly hrefOfRequest?: ((requestId: string) => string) | undefined;
}

/** The place where toasts appear. The shell has it once. */
export function Toasts({ hrefOfRequest }: ToastsProps) {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className={styles.place} aria-label="News" aria-live="polite" aria-relevant="additions">
      {shown.map((each) => (
        <OneToast key={each.id} {...each} hrefOfRequest={hrefOfRequest} />
      ))}
    </section>
  );
}

function OneToast(props: Toast & ToastsProps) {
  const { id, title, detail, action, requestIds = [], isRefusal, hrefOfRequest, seconds = STAYS_SECONDS } = props;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => close(id), seconds * 1000);
    return () => clearTimeout(timer);
  }, [id, seconds, isHeld]);
  return (
    // It stays for as long as somebody points at it or has the focus in it. A mouse that rests where it appears does not point.
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done by pointing, it only stays
    <div
      className={styles.toast}
      onPointerMove={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {detail !== undefined && <p className={styles.detail}>{detail}</p>}
        <RequestIds of={requestIds} {...(isRefusal === true ? {} : { hrefOf: hrefOfRequest })} />
      </div>
      {action !== undefined && (
        <Button
          small
          onClick={() => {
            close(id);
            action.run();
          }}
        >
          {action.title}
        </Button>
      )}
      <Button look="quiet" small label="Dismiss" onClick={() => close(id)}>
        ×
      </Button>
    </div>
  );
}
