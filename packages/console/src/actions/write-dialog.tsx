/**
 * The dialog of one write: fields, a button that is a verb, what came of it, and the same request as a line for a shell.
 * Pressing again after a failure sends the same request with the same Idempotency-Key.
 */
import { type ReactNode, useEffect } from 'react';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import { curlLine } from '../api/curl.ts';
import type { Refusal } from '../api/refusal.ts';
import { Button } from '../parts/button.tsx';
import { CopyAsCurl } from '../parts/curl.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields } from '../parts/field.tsx';
import { useChange } from './change.ts';
import { RefusalNotice } from './refusal-notice.tsx';

export interface WriteDialogProps<At extends Path> {
  readonly path: At;
  /** The request as the fields are now; null while they do not make one: the button waits. */
  readonly request: RequestOf<At> | null;
  readonly title: string;
  /** What will be so afterwards. */
  readonly description?: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  readonly onClose: () => void;
  /**
   * Tells of the success; the dialog closes unless it answers `stay`. Toasts bear the number of the request by themselves;
   * what tells of it otherwise shows the one that is given.
   */
  readonly onDone: (reply: ReplyOf<At>, requestId: string | null) => unknown;
  /** The fields. */
  readonly children?: ReactNode;
  /** A way out of a refusal. */
  readonly wayOut?: (refusal: Refusal) => ReactNode;
}

/** A dialog that is mounted while it is open, and writes when its button is pressed. */
export function WriteDialog<At extends Path>(props: WriteDialogProps<At>) {
  const { path, request, onClose } = props;
  const change = useChange(path, (reply, { requestId }) => {
    if (props.onDone(reply, requestId) !== 'stay') onClose();
  });
  const text = JSON.stringify(request);
  const { forget, refusal } = change;
  // What was refused before somebody changed a field says nothing of what they would send now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is what it waits for
  useEffect(() => {
    if (refusal !== null) forget();
  }, [text]);
  return (
    <Dialog open onClose={onClose} title={props.title} description={props.description} wide={props.wide ?? false} stays>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (request !== null && !change.isPending) void change.make(request);
        }}
      >
        {props.children !== undefined && <Fields>{props.children}</Fields>}
        {refusal !== null && (
          <Fields>
            <RefusalNotice refusal={refusal} actions={props.wayOut?.(refusal)} />
          </Fields>
        )}
        <DialogActions>
          {request === null ? <span /> : <CopyAsCurl line={curlLine(location.origin, path, request)} />}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={props.danger === true ? 'danger' : 'primary'}
            disabled={request === null}
            pending={change.isPending}
          >
            {props.verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
