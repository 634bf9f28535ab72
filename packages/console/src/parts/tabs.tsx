/** Tabs: parts of one item, one of them in sight. */
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { countText } from './count-words.ts';
import styles from './tabs.module.css';

export interface Tab {
  /** The value in the address. */
  readonly value: string;
  readonly title: string;
  /** Number of entries in the tab. */
  readonly count?: number;
  /** Called only while the tab is in sight. */
  readonly content: () => ReactNode;
}

export interface TabsProps {
  /** The item that the tabs belong to. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/**
 * Tabs with the content of the selected one below. Arrow keys, Home and End select another tab, following the WAI-ARIA
 * tabs pattern.
 */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const id = useId();
  const chosen = tabs.find((tab) => tab.value === value);
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabAfterKey(
      event.key,
      Math.max(
        0,
        tabs.findIndex((tab) => tab.value === value),
      ),
      tabs.length,
    );
    const next = tabs[at];
    if (next === undefined) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[at]?.focus();
    if (next.value !== value) onChange(next.value);
  };
  return (
    <>
      <div role="tablist" aria-label={label} className={styles.list} onKeyDown={pressed}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}${tab.value}`}
            aria-selected={tab === chosen}
            aria-controls={tab === chosen ? id : undefined}
            // The Tab key reaches only the selected tab; arrow keys reach the others.
            tabIndex={tab === chosen ? 0 : -1}
            className={styles.tab}
            onClick={() => onChange(tab.value)}
          >
            {tab.title}
            {tab.count !== undefined && <span className={styles.count}>{countText(tab.count)}</span>}
          </button>
        ))}
      </div>
      {chosen !== undefined && (
        <div
          role="tabpanel"
          key={value}
          id={id}
          aria-labelledby={`${id}${value}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the Tab key must reach the panel after its tab, even if it contains only text
          tabIndex={0}
          className={styles.panel}
        >
          {chosen.content()}
        </div>
      )}
    </>
  );
}

/** The index that a key moves to, wrapping at both ends; -1 if the key does not move. */
function tabAfterKey(key: string, at: number, count: number): number {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}
