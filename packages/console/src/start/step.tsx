/** One step of a list. */
import type { ReactNode } from 'react';
import styles from './start.module.css';

export interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly about: string;
  /** The result of the step; empty before it is done. */
  readonly done: ReactNode;
  /** The way to do it; nothing where the step must wait or the person may not take it. */
  readonly action: ReactNode;
  /** Whether the action stays in sight after the step is done. */
  readonly keepsAction?: boolean;
  /** The level of its title; `h2` by default. */
  readonly level?: 'h2' | 'h3';
}

export function Step({ number, title, about, done, action, keepsAction, level: Title = 'h2' }: StepProps) {
  const isDone = Boolean(done);
  return (
    <li className={styles.step}>
      <Title className={styles.title}>
        {number}. {title}
      </Title>
      {isDone ? <div className={styles.result}>{done}</div> : <p className={styles.quiet}>{about}</p>}
      {(!isDone || keepsAction === true) && action}
    </li>
  );
}
