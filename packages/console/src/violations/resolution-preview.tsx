import { type BulkState, requestIdOfState } from '../actions/bulk.ts';
import type { ResolveLicenseReply } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { shortKey } from '../parts/key-text.ts';
import { RequestIds } from '../parts/request-id.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Status } from '../parts/status.tsx';
import { previewText, type Resolution } from './requests.ts';
import styles from './violations.module.css';

interface ResolutionPreviewProps {
  readonly resolution: Resolution;
  /** The state of its call; undefined before it is sent. */
  readonly state: BulkState<ResolveLicenseReply> | undefined;
}

/** One license: the service's preview of the resolution, then the actual outcome. */
export function ResolutionPreview({ resolution, state }: ResolutionPreviewProps) {
  const { licenseKey, email, request } = resolution;
  const count = request.violationIds.length;
  return (
    <li className={styles.preview}>
      <p>
        <strong>{email}</strong> <span className={styles.key}>{shortKey(licenseKey)}</span>
        {count > 1 && <span className={styles.quiet}>{count} violations</span>}
      </p>
      {state?.state === 'refused' ? (
        <Status tone="danger">{wordsFor(state.refusal).title}</Status>
      ) : state?.state === 'done' ? (
        <Status tone="good">Resolved</Status>
      ) : (
        <Foreseen resolution={resolution} />
      )}
      <RequestIds of={[requestIdOfState(state)]} />
    </li>
  );
}

function Foreseen({ resolution }: { readonly resolution: Resolution }) {
  const tried = useRead('/resolveLicense', { ...resolution.request, dryRun: true });
  if (tried.error !== null) return <p className={styles.quiet}>{wordsFor(tried.error).title}</p>;
  if (tried.data === undefined) return <Skeleton width="70%" />;
  return <p>{previewText(resolution, tried.data)}</p>;
}
