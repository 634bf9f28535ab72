/** Resolves violations, with a preview of the resulting level and status. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { call } from '../api/call.ts';
import type { License } from '../api/contract.ts';
import { asRefusal } from '../api/refusal.ts';
import { counted } from '../parts/count-words.ts';
import { Checkbox } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { toast } from '../parts/toast.tsx';
import { STATUS_WORDS } from './words.ts';

export interface ResolveDialogProps {
  readonly license: License;
  readonly violationIds: readonly string[];
  readonly onClose: () => void;
}

/** Mount it only while it is open. */
export function ResolveDialog({ license: present, violationIds, onClose }: ResolveDialogProps) {
  // The preview compares with the license as it was when the dialog opened. The message states the outcome.
  const [license] = useState(present);
  const [staysRevoked, setStaysRevoked] = useState(false);
  const request = { licenseKey: license.key, violationIds, ...(staysRevoked ? { staysRevoked } : {}) };
  const preview = useQuery({
    queryKey: ['/resolveLicense', request],
    queryFn: ({ signal }) => call('/resolveLicense', { ...request, dryRun: true }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const what = counted(violationIds.length, 'violation');
  return (
    <WriteDialog
      path="/resolveLicense"
      request={request}
      title={`Resolve ${what}`}
      description="This cannot be undone. It stays in the history of the license."
      verb="Resolve"
      onClose={onClose}
      onDone={({ threatLevel, license: { status } }) =>
        toast({
          title: `${what} of the license of ${license.email} ${violationIds.length === 1 ? 'was' : 'were'} resolved.`,
          detail: afterwards(threatLevel, status),
        })
      }
    >
      {preview.data !== undefined ? (
        <Notice
          tone={preview.data.license.status === 'revoked' ? 'warn' : 'good'}
          title={afterwards(preview.data.threatLevel, preview.data.license.status)}
        >
          {preview.data.license.status === license.status
            ? 'The status stays as it is.'
            : `It is ${STATUS_WORDS[license.status].title.toLowerCase()} now.`}
        </Notice>
      ) : preview.error !== null ? (
        <RefusalNotice refusal={asRefusal(preview.error)} onRetry={() => void preview.refetch()} />
      ) : (
        <Loading what="the result" lines={2} />
      )}
      {license.status === 'revoked' && (
        <Checkbox
          label="The license stays revoked"
          hint="Settles the violations alone. Only reinstating lifts the revocation then."
          checked={staysRevoked}
          onChange={setStaysRevoked}
        />
      )}
    </WriteDialog>
  );
}

function afterwards(threatLevel: number, status: License['status']): string {
  return `Afterwards the license is ${STATUS_WORDS[status].title.toLowerCase()}, with threat level ${threatLevel}.`;
}
