/** Shows lines to paste elsewhere. */
import { CopyButton } from './copy.tsx';
import styles from './curl.module.css';

/** A whole command or program with its copy button. */
export function CodeLine({ line, label }: { readonly line: string; readonly label: string }) {
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>{line}</pre>
      <CopyButton text={line} label={`Copy: ${label}`} />
    </div>
  );
}
