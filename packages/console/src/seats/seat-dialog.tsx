import { WriteDialog } from '../actions/write-dialog.tsx';
import type { LiveSession, SessionPool } from '../api/contract.ts';
import { toast } from '../parts/toast.tsx';

/** An action on a machine that holds a seat. */
export interface SeatAction {
  readonly kind: 'end' | 'remove';
  readonly pool: SessionPool;
  readonly session: LiveSession;
}

/** Ends the session of a machine, or removes the machine from its license. */
export function SeatDialog({ action, onClose }: { readonly action: SeatAction; readonly onClose: () => void }) {
  const { kind, pool, session } = action;
  const { hostname, fingerprint } = session;
  const name = hostname || fingerprint;
  const request = { licenseKey: pool.licenseKey, machineFingerprint: fingerprint };
  if (kind === 'end')
    return (
      <WriteDialog
        path="/endSession"
        title={`End the session of ${name}?`}
        description="Its seat is free at once. The machine stays bound: its app takes a seat again when it asks and one is free."
        verb="End session"
        request={request}
        onClose={onClose}
        onDone={() => toast({ title: `The seat of ${name} is free.` })}
      />
    );
  return (
    <WriteDialog
      path="/releaseActivation"
      title={`Remove ${name}?`}
      description={`Its seat is free at once, and it must be activated again before ${pool.email} can use it again.`}
      verb="Remove machine"
      danger
      request={request}
      onClose={onClose}
      onDone={() => toast({ title: `${name} is removed.` })}
    />
  );
}
