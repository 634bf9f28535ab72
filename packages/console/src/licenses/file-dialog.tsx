/** Makes a license file from an app's request, pasted or dropped, and offers it as a download. */
import { type DragEvent, useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { CreateLicenseFileReply, License } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { download } from '../parts/download.ts';
import { Checkbox, FieldRow, NumberField, TextField } from '../parts/field.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { dayText } from '../parts/time-words.ts';
import styles from './licenses.module.css';

export interface FileDialogProps {
  readonly license: License;
  readonly onClose: () => void;
}

/** A new file, and the ID of the request that made it; null if unknown. */
interface Made {
  readonly file: CreateLicenseFileReply;
  readonly requestId: string | null;
}

/** Maximum size of a request in bytes. */
const LARGEST_REQUEST = 65_536;

/** Mount it only while it is open. */
export function FileDialog({ license, onClose }: FileDialogProps) {
  const [text, setText] = useState('');
  const [days, setDays] = useState('365');
  const [isForever, setForever] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const [isOver, setOver] = useState(false);
  const count = Number(days);
  const isWrong = !isForever && (!Number.isInteger(count) || count < 1);
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined && file.size <= LARGEST_REQUEST) setText(await file.text());
  };
  if (made !== null) return <MadeFile {...made} onClose={onClose} />;
  return (
    <WriteDialog
      path="/createLicenseFile"
      request={
        text.trim() === '' || isWrong
          ? null
          : { licenseKey: license.key, request: text.trim(), ...(isForever ? { forever: true } : { days: count }) }
      }
      title="Make a license file"
      description="For a machine without a connection. It takes a place of the license like any machine, until the file has expired. A file cannot be called back."
      verb="Make the file"
      wide
      onClose={onClose}
      onDone={(file, requestId) => {
        setMade({ file, requestId });
        return 'stay';
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a file may be dropped on the field; pasting does the same */}
      <div
        className={classes(styles.drop, isOver && styles.dropOver)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => void drop(event)}
      >
        <TextField
          label="The app's request"
          hint="Paste the LATCHKEY REQUEST that the app wrote, or drop its file here."
          rows={6}
          mono
          value={text}
          onChange={setText}
        />
      </div>
      <FieldRow>
        <NumberField
          label="Good for"
          unit="days"
          min={1}
          value={isForever ? '' : days}
          onChange={setDays}
          disabled={isForever}
        />
      </FieldRow>
      <Checkbox label="As long as the license lasts" checked={isForever} onChange={setForever} />
    </WriteDialog>
  );
}

function MadeFile({ file, requestId, onClose }: Made & { readonly onClose: () => void }) {
  const until = file.expiresAt === null ? 'for ever' : `until ${dayText(file.expiresAt)}`;
  return (
    <Dialog
      open
      onClose={onClose}
      stays
      title="The license file is ready"
      description={`It is valid ${until}. It is not stored here: download it now and send it to the customer.`}
      actions={
        <>
          <CopyButton text={file.licenseFile} label="Copy the license file" look="plain" small={false}>
            Copy
          </CopyButton>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" onClick={() => download(`license-${file.fileId}.txt`, file.licenseFile, 'text/plain')}>
            Download
          </Button>
        </>
      }
    >
      <RequestIds of={[requestId]} />
    </Dialog>
  );
}
