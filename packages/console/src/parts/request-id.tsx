/** The number of a request, in a quiet line: to copy, and where it may be seen a link to what the request changed. */
import { CopyButton } from './copy.tsx';
import styles from './request-id.module.css';

export interface RequestIdProps {
  readonly value: string;
  /** Where it is shown what the request changed. */
  readonly href?: string | undefined;
}

/** The line. */
export function RequestId({ value, href }: RequestIdProps) {
  return (
    <p className={styles.line}>
      {href === undefined ? (
        <span>Request</span>
      ) : (
        <a href={href} title="What this request changed">
          Request
        </a>
      )}
      {/* Nobody wants to hear it letter by letter with the news; it can be copied. */}
      <span className={styles.value} title={value} aria-hidden="true">
        {value}
      </span>
      <CopyButton text={value} label="Copy the number of the request" />
    </p>
  );
}
