/**
 * The dialog of one write: fields, a button that is a verb, what came of it, and the same request as a line for a shell.
 * Pressing again after a failure sends the same request with the same Idempotency-Key.
 */
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { requestIdOf } from '../api/call.ts';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import { curlLine } from '../api/curl.ts';
import type { Refusal } from '../api/refusal.ts';
import { useWrite } from '../api/writes.ts';
import { Button } from '../parts/button.tsx';
import { CopyAsCurl } from '../parts/curl.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields } from '../parts/field.tsx';
import { tellOf } from '../parts/toast.tsx';
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
  /** What is done with the reply; the dialog closes unless it answers `stay`. */
  readonly onDone: (reply: ReplyOf<At>) => unknown;
  /** The fields. */
  readonly children?: ReactNode;
  /** A way out of a refusal. */
  readonly wayOut?: (refusal: Refusal) => ReactNode;
}

/** A dialog that is mounted while it is open, and writes when its button is pressed. */
export function WriteDialog<At extends Path>(props: WriteDialogProps<At>) {
  const { path, request, onClose } = props;
  const write: UseMutationResult<ReplyOf<At>, Refusal, RequestOf<At>> = useWrite(path);
  const text = JSON.stringify(request);
  const { reset, isError } = write;
  // What was refused before somebody changed a field says nothing of what they would send now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is what it waits for
  useEffect(() => {
    if (isError) reset();
  }, [text]);
  const submit = async () => {
    if (request === null || write.isPending) return;
    // The refusal is shown by the dialog itself.
    const reply = await write.mutateAsync(request).catch(() => null);
    if (reply !== null && tellOf(requestIdOf(reply), () => props.onDone(reply)) !== 'stay') onClose();
  };
  return (
    <Dialog open onClose={onClose} title={props.title} description={props.description} wide={props.wide ?? false} stays>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {props.children !== undefined && <Fields>{props.children}</Fields>}
        {write.error !== null && (
          <Fields>
            <RefusalNotice refusal={write.error} actions={props.wayOut?.(write.error)} />
          </Fields>
        )}
        <DialogActions>
          {request === null ? <span /> : <CopyAsCurl line={curlLine(location.origin, path, request)} />}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={props.danger === true ? 'danger' : 'primary'}
            disabled={request === null}
            pending={write.isPending}
          >
            {props.verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
