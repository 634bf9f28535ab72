/** The number of a request, in a quiet line: to copy, and where it may be seen a link to what the request changed. */
import { CopyButton } from './copy.tsx';
import { counted } from './count-words.ts';
import styles from './request-id.module.css';

export interface RequestIdsProps {
  /** The numbers; null where one is not known. */
  readonly of: readonly (string | null)[];
  /** Where it is shown what one request changed. */
  readonly hrefOf?: ((requestId: string) => string) | undefined;
}

/** The line: one number, or how many there are, to copy all of them. Nothing where none is known. */
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
      {/* Nobody wants to hear it letter by letter with the news; it can be copied. */}
      <span className={styles.value} title={first} aria-hidden="true">
        {first}
      </span>
      <CopyButton text={first} label="Copy the number of the request" />
    </p>
  );
}
