/** The items that an action concerns: the first ones by name, and the number of the others. */
import type { ReactNode } from 'react';
import { countText } from './count-words.ts';
import styles from './named-items.module.css';

/** Maximum number of items that are named. */
const NAMED = 5;

export interface NamedItemsProps {
  /** The title for screen readers. */
  readonly label: string;
  readonly names: readonly string[];
  /** The label of an item; its name by default. */
  readonly nameOf?: (name: string) => ReactNode;
}

/** Shown before an action on several items, so that nobody acts on rows out of sight. */
export function NamedItems({ label, names, nameOf = (name) => name }: NamedItemsProps) {
  const further = names.length - NAMED;
  return (
    <ul className={styles.items} aria-label={label}>
      {names.slice(0, NAMED).map((name) => (
        <li key={name}>{nameOf(name)}</li>
      ))}
      {further > 0 && <li className={styles.further}>and {countText(further)} more</li>}
    </ul>
  );
}
