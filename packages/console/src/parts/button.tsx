/** Buttons, and links that look like them. */
import type { ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';

/** How much a button stands out: one `primary` at most in sight; `quiet` has no edge; `danger` for what harms. */
export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps {
  /** A verb. */
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly look?: ButtonLook;
  readonly small?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Whether what it does is under way: it says so and cannot be pressed again. */
  readonly pending?: boolean;
  /** Its name where what is in it does not say enough, as for a symbol. */
  readonly label?: string;
  readonly title?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button. */
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
  /** `#/licenses` for a screen. */
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
