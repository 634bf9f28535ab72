/** Buttons, and links that look like them. */
import type { ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';

/**
 * The prominence of a button: at most one `primary` in sight; `quiet` has no border; `danger` marks harmful actions.
 */
export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps {
  /** A verb. */
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly look?: ButtonLook;
  readonly small?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Whether the action is under way; the button shows that and is disabled. */
  readonly pending?: boolean;
  /** The accessible name if the content is not enough, as for an icon. */
  readonly label?: string;
  readonly title?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  children,
  onClick,
  look = 'plain',
  small,
  type = 'button',
  disabled,
  pending,
  label,
  title,
  ref,
}: ButtonProps) {
  return (
    <button
      ref={ref}
      type={type}
      className={classes(styles.button, styles[look], small && styles.small)}
      onClick={onClick}
      disabled={disabled}
      aria-disabled={pending === true ? true : undefined}
      aria-busy={pending === true ? true : undefined}
      aria-label={label}
      title={title}
      {...(pending === true ? { onClick: (event) => event.preventDefault() } : {})}
    >
      {pending === true && <span className={styles.turning} aria-hidden="true" />}
      {children}
    </button>
  );
}

/** A link to another screen or page that looks like a button. */
export function LinkButton({
  children,
  href,
  look = 'plain',
  small,
}: {
  readonly children: ReactNode;
  /** For example `#/licenses` for a screen. */
  readonly href: string;
  readonly look?: ButtonLook;
  readonly small?: boolean;
}) {
  return (
    <a href={href} className={classes(styles.button, styles[look], small && styles.small)}>
      {children}
    </a>
  );
}
