/** Shows what the console is about to send as a line for a shell. */
import { CopyButton } from './copy.tsx';
import styles from './curl.module.css';

/** A quiet button that copies a line; the line shows on hover. */
export function CopyAsCurl({ line }: { readonly line: string }) {
  return (
    <CopyButton text={line} label="Copy as curl">
      Copy as curl
    </CopyButton>
  );
}

/** A line for a shell, whole, with its copy button: for places where nothing is yet. */
export function CodeLine({ line, label }: { readonly line: string; readonly label: string }) {
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{line}</pre>
      <CopyButton text={line} label={`Copy: ${label}`} />
    </div>
  );
}
