/** Short messages about results, at the edge of the screen; screen readers announce them. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from './button.tsx';
import { RequestIds } from './request-id.tsx';
import styles from './toast.module.css';

/** The content of a toast. */
export interface ToastNews {
  readonly title: string;
  /** A second line. */
  readonly detail?: string;
  /** A possible follow-up action, as "Undo". */
  readonly action?: { readonly title: string; readonly run: () => void };
  /** The IDs of the reported requests; `tellOf` provides them by default. */
  readonly requestIds?: readonly string[];
  /** Whether it reports a refusal: that request made no change to link to. */
  readonly isRefusal?: boolean;
  /** Time on screen in seconds; 6 by default. */
  readonly seconds?: number;
  /** Runs when it leaves the screen, unless its action was taken. */
  readonly onGone?: () => void;
}

interface Toast extends ToastNews {
  readonly id: number;
}

const STAYS_SECONDS = 6;
/** Maximum number of visible toasts; a new one removes the oldest. */
const AT_ONCE = 3;

/** The IDs of the request that is being reported; see `tellOf`. */
let reported: readonly string[] = [];
let toasts: readonly Toast[] = [];
/** The number of places in dialogs. They cover the place of the shell, and keep the focus from it. */
let placesInDialogs = 0;
let next = 1;
const listeners = new Set<() => void>();

function replace(by: readonly Toast[], inDialogs = placesInDialogs): void {
  toasts = by;
  placesInDialogs = inDialogs;
  for (const listener of listeners) listener();
}

export function toast(news: ToastNews): void {
  const all = [...toasts, { requestIds: reported, ...news, id: next++ }];
  replace(all.slice(-AT_ONCE));
  for (const { onGone } of all.slice(0, -AT_ONCE)) onGone?.();
}

/** Runs `tell`, and gives each toast created in it the ID of the request. */
export function tellOf<Result>(requestId: string | null, tell: () => Result): Result {
  reported = requestId === null ? [] : [requestId];
  try {
    return tell();
  } finally {
    reported = [];
  }
}

function close(id: number): void {
  replace(toasts.filter((each) => each.id !== id));
}

function leave(id: number): void {
  const gone = toasts.find((each) => each.id === id);
  close(id);
  gone?.onGone?.();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface ToastsProps {
  /** The address that shows the changes of a request; absent without permission to see them. */
  readonly hrefOfRequest?: ((requestId: string) => string) | undefined;
  /** Whether the place is in a dialog. While that is open, toasts appear there only. */
  readonly inDialog?: boolean;
}

/** The place where toasts appear. Rendered by the shell, and by dialogs that stay open after a change. */
export function Toasts({ hrefOfRequest, inDialog = false }: ToastsProps) {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const isHere = useSyncExternalStore(subscribe, () => inDialog === placesInDialogs > 0);
  useEffect(() => {
    if (!inDialog) return undefined;
    replace(toasts, placesInDialogs + 1);
    return () => replace(toasts, placesInDialogs - 1);
  }, [inDialog]);
  return (
    <section
      className={inDialog ? styles.inDialog : styles.place}
      aria-label={inDialog ? 'News in the dialog' : 'News'}
      aria-live="polite"
      aria-relevant="additions"
    >
      {isHere && shown.map((each) => <OneToast key={each.id} {...each} hrefOfRequest={hrefOfRequest} />)}
    </section>
  );
}

function OneToast(props: Toast & ToastsProps) {
  const { id, title, detail, action, requestIds = [], isRefusal, hrefOfRequest, seconds = STAYS_SECONDS } = props;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => leave(id), seconds * 1000);
    return () => clearTimeout(timer);
  }, [id, seconds, isHeld]);
  return (
    // A toast stays while the pointer moves over it or the focus is in it. A resting mouse under a new toast does not
    // count.
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing triggers no action, it only keeps the toast
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
      <Button look="quiet" small label="Dismiss" onClick={() => leave(id)}>
        ×
      </Button>
    </div>
  );
}
