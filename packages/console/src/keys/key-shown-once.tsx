/** Shows a new key once. */
import { ShownOnce } from '../actions/shown-once.tsx';

export interface NewKey {
  readonly rawKey: string;
  readonly name: string;
  /** The ID of the request that created the key; null if unknown. */
  readonly requestId: string | null;
}

export function KeyShownOnce({ rawKey, name, requestId, onClose }: NewKey & { readonly onClose: () => void }) {
  return (
    <ShownOnce
      secret={rawKey}
      kind="key"
      title={`The key of ${name}`}
      description="It is shown only this once, because only its hash is stored. If you lose the key, create a new one."
      requestId={requestId}
      onClose={onClose}
    />
  );
}
