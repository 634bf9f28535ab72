/** Shows a new secret once. It is in this dialog only, never in the address or the browser's storage. */
import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Checkbox, Fields } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import styles from './shown-once.module.css';

export interface ShownOnceProps {
  readonly secret: string;
  /** The kind of secret in a word: "key". */
  readonly kind: 'key' | 'secret';
  readonly title: string;
  readonly description: ReactNode;
  /** The ID of the request that made the secret; null if unknown. */
  readonly requestId: string | null;
  readonly onClose: () => void;
  /** Instructions for the use of the secret. */
  readonly children?: ReactNode;
}

/** The dialog closes only after the person confirms that the secret is saved. */
export function ShownOnce({ secret, kind, title, description, requestId, onClose, children }: ShownOnceProps) {
  const [isSaved, setSaved] = useState(false);
  const [isWarned, setWarned] = useState(false);
  return (
    <Dialog
      open
      onClose={() => (isSaved ? onClose() : setWarned(true))}
      title={title}
      description={description}
      wide={children !== undefined}
      stays
      actions={
        <Button look="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      }
    >
      <Fields>
        <div className={styles.secret}>
          <code>{secret}</code>
          <CopyButton text={secret} label={`Copy the ${kind}`} look="plain">
            Copy
          </CopyButton>
        </div>
        {children}
        {isWarned && !isSaved && (
          <Notice alert tone="warn" title={`Save the ${kind} first.`}>
            It cannot be shown again. Tick "I saved it", then close this.
          </Notice>
        )}
        <Checkbox label="I saved it" checked={isSaved} onChange={setSaved} />
        <RequestIds of={[requestId]} />
      </Fields>
    </Dialog>
  );
}
