/** Actions on the selected rows: a floating bar below the list, at the lower edge of a phone. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './action-bar.module.css';
import { useBottomRoom } from './bottom-room.ts';
import { Button } from './button.tsx';
import { useShortcuts } from './shortcuts.ts';

export interface ActionBarProps {
  /** The name for screen readers. */
  readonly label: string;
  /** The number of selected rows, in words. */
  readonly count: string;
  readonly onClear: () => void;
  /** Buttons, and the dialogs they open. */
  readonly children: ReactNode;
}

/** Mount it only while something is selected. */
export function ActionBar({ label, count, onClear, children }: ActionBarProps) {
  const bar = useRef<HTMLElement>(null);
  useBottomRoom(bar);
  useFocusBack(bar);
  useShortcuts([{ keys: 'Escape', does: 'Clear the selection', run: onClear }]);
  return (
    <section ref={bar} className={styles.bar} aria-label={label}>
      <div className={styles.what}>
        <span className={styles.count}>{count}</span>
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
      </div>
      <div className={styles.actions} data-actions="selection">
        {children}
      </div>
    </section>
  );
}

/** Returns the focus to its earlier place if the bar unmounts while it has the focus. */
function useFocusBack(bar: React.RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    const before = document.activeElement;
    return () => {
      if (element?.contains(document.activeElement) && before instanceof HTMLElement && before.isConnected)
        before.focus();
    };
  }, [bar]);
}
