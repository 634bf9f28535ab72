/** Confirms a harmful action or one on many items: names the effect, and for many items asks for their number. */
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Fields, TextField } from './field.tsx';

/** From this many items on, the person confirms by typing the number. */
const TYPED_FROM = 26;

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The effect of the action, in numbers. */
  readonly effect: ReactNode;
  /** The label of the button. */
  readonly verb: string;
  readonly onConfirm: () => void;
  /** Number of affected items; 1 by default. */
  readonly count?: number;
  readonly danger?: boolean;
  readonly pending?: boolean;
  /** Fields, errors, the shell command. */
  readonly children?: ReactNode;
  /** Secondary content to the left of the buttons. */
  readonly aside?: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { count = 1, danger, pending } = props;
  const [typed, setTyped] = useState('');
  const mustType = count >= TYPED_FROM;
  const isAllowed = !mustType || typed.trim() === String(count);
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      title={props.title}
      description={props.effect}
      actions={
        <>
          {props.aside}
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            look={danger === true ? 'danger' : 'primary'}
            disabled={!isAllowed}
            pending={pending ?? false}
            onClick={props.onConfirm}
          >
            {props.verb}
          </Button>
        </>
      }
    >
      {props.children}
      {mustType && (
        <Fields>
          <TextField label={`Type ${count} to confirm`} value={typed} onChange={setTyped} />
        </Fields>
      )}
    </Dialog>
  );
}
