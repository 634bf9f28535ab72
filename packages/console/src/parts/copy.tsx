/** Copyable values: a button, and a key in monospace with its button. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { classes } from './classes.ts';
import styles from './copy.module.css';
import { shortKey } from './key-text.ts';
import symbol from './symbol.module.css';
import unseen from './unseen.module.css';

/** Time for which "Copied" stays, in milliseconds. */
const COPIED_MS = 2_000;

export interface CopyButtonProps {
  /** The copied text; a function if computing it is expensive or takes a read. */
  readonly text: string | (() => string | Promise<string>);
  /** The label of the button; an icon if absent. */
  readonly children?: ReactNode;
  /** The action in words: "Copy the key". */
  readonly label: string;
  readonly look?: ButtonLook;
  readonly small?: boolean;
}

/** A button that copies and confirms it. */
export function CopyButton({ text, children, label, look = 'quiet', small = true }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    setCopied(true);
  };
  const said = (
    <span role="status" className={unseen.unseen}>
      {isCopied ? 'Copied' : ''}
    </span>
  );
  if (children === undefined) {
    return (
      <button type="button" className={symbol.button} aria-label={label} title={label} onClick={copy}>
        <svg viewBox="0 0 16 16" aria-hidden="true" className={classes(symbol.icon, isCopied && styles.done)}>
          {isCopied ? <path d="M3.5 8.5l3 3 6-7" /> : <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />}
        </svg>
        {said}
      </button>
    );
  }
  return (
    <Button look={look} small={small} onClick={copy}>
      {isCopied ? 'Copied' : children}
      {said}
    </Button>
  );
}

/** A license key or a similar text: first and last group in lists, whole on its own page. */
export function Key({
  value,
  whole,
  copy,
}: {
  readonly value: string;
  readonly whole?: boolean;
  readonly copy?: boolean;
}) {
  return (
    <span className={styles.key}>
      <span className={styles.mono} title={whole === true ? undefined : value}>
        {whole === true ? value : shortKey(value)}
      </span>
      {copy === true && <CopyButton text={value} label="Copy the key" />}
    </span>
  );
}

/** Monospace text: codes, hashes, identifiers. */
export function Mono({ children }: { readonly children: ReactNode }) {
  return <span className={styles.mono}>{children}</span>;
}

/** A value in a line with its copy button. */
export function WithCopy({
  children,
  text,
  label,
}: {
  readonly children: ReactNode;
  readonly text: string;
  /** The copied value, in words. */
  readonly label: string;
}) {
  return (
    <span className={styles.key}>
      {children}
      <CopyButton text={text} label={label} />
    </span>
  );
}
