/** The ID of a request in a quiet line: copyable, and a link to the changes of the request where they are visible. */
import { CopyButton } from './copy.tsx';
import { counted } from './count-words.ts';
import styles from './request-id.module.css';

export interface RequestIdsProps {
  /** The IDs; null for an unknown one. */
  readonly of: readonly (string | null)[];
  /** The address that shows the changes of one request. */
  readonly hrefOf?: ((requestId: string) => string) | undefined;
}

/** The line: one ID, or the number of IDs with a button that copies all. Renders nothing if none is known. */
export function RequestIds({ of, hrefOf }: RequestIdsProps) {
  const known = of.filter((each) => each !== null);
  const [first] = known;
  if (first === undefined) return null;
  if (known.length > 1)
    return (
      <p className={styles.line}>
        <span>{counted(known.length, 'request')}</span>
        <CopyButton text={() => known.join('\n')} label="Copy the numbers of the requests" />
      </p>
    );
  return (
    <p className={styles.line}>
      {hrefOf === undefined ? (
        <span>Request</span>
      ) : (
        <a href={hrefOf(first)} title="What this request changed">
          Request
        </a>
      )}
      {/* Hidden from screen readers, because they would spell it out; it can be copied. */}
      <span className={styles.value} title={first} aria-hidden="true">
        {first}
      </span>
      <CopyButton text={first} label="Copy the number of the request" />
    </p>
  );
}
