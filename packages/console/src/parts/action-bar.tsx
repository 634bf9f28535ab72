/** What can be done with the rows that are selected: it floats below the list, and is the lower edge of a phone. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './action-bar.module.css';
import { useBottomRoom } from './bottom-room.ts';
import { Button } from './button.tsx';
import { useShortcuts } from './shortcuts.ts';

export interface ActionBarProps {
  /** Its name for screen readers. */
  readonly label: string;
  /** How many are selected, in words. */
  readonly count: string;
  readonly onClear: () => void;
  /** Buttons, and the dialogs that they open. */
  readonly children: ReactNode;
}

/** The bar. Mounted while something is selected. */
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

/** When the bar goes away with the focus in it, that goes back to where it was when the bar came. */
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
