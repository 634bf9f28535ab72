/** Tabs: parts of one thing, one of them in sight. */
import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

/** One tab. */
export interface Tab {
  /** As it is in the address. */
  readonly value: string;
  readonly title: string;
  /** How many are behind it. */
  readonly count?: number;
  /** Made only while the tab is in sight. */
  readonly content: () => ReactNode;
}

export interface TabsProps {
  /** What the tabs are parts of. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Tabs with the content of the chosen one below. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Base.Root value={value} onValueChange={(chosen) => onChange(String(chosen))}>
      <Base.List className={styles.list} aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles.tab}>
            {tab.title}
            {tab.count !== undefined && <span className={styles.count}>{tab.count.toLocaleString()}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={styles.panel}>
          {tab.value === value && tab.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
