import { EndSessionDialog, RemoveMachineDialog } from '../actions/machine-dialogs.tsx';
import type { LiveSession, SessionPool } from '../api/contract.ts';

/** An action on a machine that holds a seat. */
export interface SeatAction {
  readonly kind: 'end' | 'remove';
  readonly pool: SessionPool;
  readonly session: LiveSession;
}

/** Ends the session of a machine, or removes the machine from its license. */
export function SeatDialog({ action, onClose }: { readonly action: SeatAction; readonly onClose: () => void }) {
  const { kind, pool, session } = action;
  const { hostname, fingerprint, lastSeen } = session;
  const machine = { licenseKey: pool.licenseKey, fingerprint, name: hostname || fingerprint, lastSeen };
  return kind === 'end' ? (
    <EndSessionDialog machine={machine} onClose={onClose} />
  ) : (
    // A machine with a seat is in use, so that its removal always asks.
    <RemoveMachineDialog machine={machine} onClose={onClose} />
  );
}
