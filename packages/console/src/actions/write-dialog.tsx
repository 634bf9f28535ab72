/**
 * The dialog for one write: fields, a button with a verb, the result, and the same request as a shell command. After a
 * failure, pressing the button again repeats the request with the same Idempotency-Key.
 */
import { type ReactNode, useEffect } from 'react';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useFormBlocks } from '../parts/form-block.tsx';
import { useChange } from './change.ts';
import { CopyAsCurl } from './curl.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

export interface WriteDialogProps<At extends Path> {
  readonly path: At;
  /** The request for the present fields; null while they are invalid, which disables the button. */
  readonly request: RequestOf<At> | null;
  readonly title: string;
  /** The effect of the write. */
  readonly description?: ReactNode;
  /** The label of the button. */
  readonly verb: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  readonly onClose: () => void;
  /**
   * Reports the success; the dialog closes unless this returns `stay`. Toasts carry the request ID automatically; any
   * other display takes it from the second argument. The third one is the request that was sent.
   */
  readonly onDone: (reply: ReplyOf<At>, requestId: string | null, sent: RequestOf<At>) => unknown;
  readonly children?: ReactNode;
}

/** Mount it only while it is open. It writes when its button is pressed. */
export function WriteDialog<At extends Path>(props: WriteDialogProps<At>) {
  const { path, onClose } = props;
  const [isBlocked, Blocking] = useFormBlocks();
  const request = isBlocked ? null : props.request;
  const change = useChange(path, (reply, { requestId, request: sent }) => {
    if (props.onDone(reply, requestId, sent) !== 'stay') onClose();
  });
  const text = JSON.stringify(request);
  const { forget, refusal } = change;
  // A refusal says nothing about the changed fields, so it is cleared when a field changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `text` triggers it
  useEffect(() => {
    if (refusal !== null) forget();
  }, [text]);
  return (
    <Dialog open onClose={onClose} title={props.title} description={props.description} wide={props.wide ?? false} stays>
      <Form
        onSubmit={() => {
          if (request !== null && !change.isPending) void change.make(request);
        }}
      >
        {props.children !== undefined && (
          <Blocking>
            <Fields>{props.children}</Fields>
          </Blocking>
        )}
        {refusal !== null && (
          <Fields>
            <RefusalNotice refusal={refusal} />
          </Fields>
        )}
        <DialogActions>
          {request === null ? <span /> : <CopyAsCurl path={path} request={request} />}
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
      </Form>
    </Dialog>
  );
}
