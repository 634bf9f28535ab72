/** Shows a new key once. The key is in this dialog only, never in the address or the browser's storage. */
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Checkbox, Fields } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import styles from './key-shown-once.module.css';

export interface NewKey {
  readonly rawKey: string;
  readonly name: string;
  /** The ID of the request that created the key; null if unknown. */
  readonly requestId: string | null;
}

/** The dialog closes only after the person confirms that the key is saved. */
export function KeyShownOnce({ rawKey, name, requestId, onClose }: NewKey & { readonly onClose: () => void }) {
  const [isSaved, setSaved] = useState(false);
  const [isWarned, setWarned] = useState(false);
  return (
    <Dialog
      open
      onClose={() => (isSaved ? onClose() : setWarned(true))}
      title={`The key of ${name}`}
      description="It is shown only this once, because only its hash is stored. If you lose the key, create a new one."
      stays
      actions={
        <Button look="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      }
    >
      <Fields>
        <div className={styles.key}>
          <code>{rawKey}</code>
          <CopyButton text={rawKey} label="Copy the key" look="plain">
            Copy
          </CopyButton>
        </div>
        {isWarned && !isSaved && (
          <Notice alert tone="warn" title="Save the key first.">
            It cannot be shown again. Say that you saved it, then close this.
          </Notice>
        )}
        <Checkbox label="I saved it" checked={isSaved} onChange={setSaved} />
        <RequestIds of={[requestId]} />
      </Fields>
    </Dialog>
  );
}
