/** Asks before something that harms, or that concerns many: names the effect, and for many asks for their number. */
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Fields, TextField } from './field.tsx';

/** More than so many at once are confirmed by typing the number. */
const TYPED_FROM = 26;

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will be so afterwards, in numbers. */
  readonly effect: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  readonly onConfirm: () => void;
  /** How many things it concerns; 1 unless given. */
  readonly count?: number;
  readonly danger?: boolean;
  readonly pending?: boolean;
  /** Fields, what went wrong, the line for a shell. */
  readonly children?: ReactNode;
  /** Something quiet at the left of the buttons. */
  readonly aside?: ReactNode;
}

/** A dialog that asks. */
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
