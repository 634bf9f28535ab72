/** Shows the console's requests as shell commands. */
import { CopyButton } from './copy.tsx';
import styles from './curl.module.css';

/** A quiet button that copies a command; the command shows on hover. */
export function CopyAsCurl({ line }: { readonly line: string }) {
  return (
    <CopyButton text={line} label="Copy as curl">
      Copy as curl
    </CopyButton>
  );
}

/** A whole command with its copy button, for empty lists. */
export function CodeLine({ line, label }: { readonly line: string; readonly label: string }) {
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>{line}</pre>
      <CopyButton text={line} label={`Copy: ${label}`} />
    </div>
  );
}
