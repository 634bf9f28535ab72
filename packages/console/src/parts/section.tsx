/** Sections of a screen, divided by space and a hairline, and the facts in them. */
import type { ReactNode } from 'react';
import styles from './section.module.css';

export interface SectionProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly hint?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a screen with its title. */
export function Section({ title, hint, actions, children }: SectionProps) {
  return (
    <section className={styles.section}>
      <header className={styles.head}>
        <div>
          <h2>{title}</h2>
          {hint !== undefined && <p className={styles.hint}>{hint}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** One fact: name and value. */
export interface Fact {
  readonly title: string;
  /** Facts without a value are omitted. */
  readonly value: ReactNode | null | undefined;
}

/** Facts in columns, if there is enough space. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(({ value }) => value !== null && value !== undefined)
        .map(({ title, value }) => (
          <div key={title} className={styles.fact}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
