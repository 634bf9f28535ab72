/** Short news of what was done, at the edge of the screen; screen readers say it. */
import { useEffect, useSyncExternalStore } from 'react';
import { Button } from './button.tsx';
import styles from './toast.module.css';

/** What a toast says. */
export interface ToastNews {
  readonly title: string;
  /** A further line, such as the number of the request. */
  readonly detail?: string;
  /** What can still be done about it, as "Undo". */
  readonly action?: { readonly title: string; readonly run: () => void };
  /** How long it stays, in seconds; 6 unless given. */
  readonly seconds?: number;
}

interface Toast extends ToastNews {
  readonly id: number;
}

const STAYS_SECONDS = 6;
/** More than these are not in sight at once: the oldest goes. */
const AT_ONCE = 3;

let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function replace(by: readonly Toast[]): void {
  toasts = by;
  for (const listener of listeners) listener();
}

/** Shows a toast. */
export function toast(news: ToastNews): void {
  replace([...toasts, { ...news, id: next++ }].slice(-AT_ONCE));
}

function close(id: number): void {
  replace(toasts.filter((each) => each.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The place where toasts appear. The shell has it once. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className={styles.place} aria-label="News" aria-live="polite" aria-relevant="additions">
      {shown.map((each) => (
        <OneToast key={each.id} {...each} />
      ))}
    </section>
  );
}

function OneToast({ id, title, detail, action, seconds = STAYS_SECONDS }: Toast) {
  useEffect(() => {
    const timer = setTimeout(() => close(id), seconds * 1000);
    return () => clearTimeout(timer);
  }, [id, seconds]);
  return (
    <div className={styles.toast}>
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {detail !== undefined && <p className={styles.detail}>{detail}</p>}
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
