/**
 * The dialog for one action on many items: asks for confirmation, shows progress, and lists the outcome of each item.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Path, RequestOf } from '../api/contract.ts';
import { late } from '../api/late.tsx';
import { Button } from '../parts/button.tsx';
import { countText } from '../parts/count-words.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields } from '../parts/field.tsx';
import { NamedItems } from '../parts/named-items.tsx';
import { toast } from '../parts/toast.tsx';
import { useTypedCount } from '../parts/typed-count.tsx';
import { type BulkRequest, useBulk } from './bulk.ts';
import { BulkOutcome } from './bulk-outcome.tsx';
import { CopyAsCurl } from './curl.tsx';
import { loadUndoOfRequest } from './lazy-undo.ts';
import { toastRefusal } from './toast-refusal.ts';
import type { UndoableChange } from './undo-event.ts';

/** Seconds in which the message after the dialog can undo its changes; afterwards Activity can. */
const UNDO_SECONDS = 30;

/** Loaded when somebody undoes an action. */
const BulkUndo = late(async () => (await import('./undo-bulk.tsx')).BulkUndo);

export interface BulkDialogProps<At extends Path> {
  readonly path: At;
  /** The names of the items; the first ones are shown before the action. */
  readonly names: readonly string[];
  /** The request for an item; null while the fields do not make a valid request. */
  readonly requestOf: ((name: string) => BulkRequest<At>) | null;
  /** The label of an item in the list. */
  readonly nameOf: (name: string) => ReactNode;
  readonly title: string;
  /** The effect of the action. */
  readonly description: ReactNode;
  readonly verb: string;
  readonly danger?: boolean;
  /** The number of changed items in words, as "17 extended"; "17 of 20 done" by default. */
  readonly doneText?: (count: number) => string;
  /** The number of items that were passed over, as "3 have no end"; "3 had nothing to do" by default. */
  readonly skippedText?: (count: number) => string;
  /**
   * The change of an item, from which it is undone; null for one that stays as it is. Absent if the action cannot be
   * undone, or not by this person.
   */
  readonly changeOf?: (name: string, request: RequestOf<At>) => UndoableChange | null;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Mount it only while it is open. */
export function BulkDialog<At extends Path>(props: BulkDialogProps<At>) {
  const [isUndoing, setUndoing] = useState(false);
  const { requestOf } = props;
  // Fixed when the dialog opens: the list behind it changes with the outcome.
  const [names] = useState(props.names);
  const [isConfirmed, confirming] = useTypedCount(names.length);
  const requests = new Map(requestOf === null ? [] : names.map((name) => [name, requestOf(name)]));
  const { states, isRunning, done, skipped, refused, run } = useBulk(props.path, requests);
  const hasBegun = states.size > 0;
  // The shell command shows the first request; the others differ in the item name alone.
  const [first] = requests.values();
  const changes = new Map<string, UndoableChange>();
  for (const [name, state] of states) {
    const change = state.state === 'done' ? props.changeOf?.(name, state.request) : null;
    if (change) changes.set(name, change);
  }
  const text = sumText({ all: names.length, done, skipped, refused, isRunning }, props);
  const client = useQueryClient();
  const undoAll = changes.size === 1 ? 'Undo' : `Undo all ${changes.size}`;
  const undo = () =>
    void loadUndoOfRequest()
      .then(({ undoChanges }) => undoChanges(client, [...changes.values()]))
      .catch(toastRefusal);
  const close = () => {
    if (changes.size > 0 && !isRunning)
      toast({ title: text, requestIds: [], seconds: UNDO_SECONDS, action: { title: undoAll, run: undo } });
    props.onClose();
  };
  if (isUndoing)
    return (
      <Dialog open onClose={props.onClose} title={`Undo: ${props.title}`} stays wide>
        <BulkUndo changes={changes} left={done - changes.size} nameOf={props.nameOf} onClose={props.onClose} />
      </Dialog>
    );
  return (
    <Dialog
      open
      onClose={close}
      title={props.title}
      description={hasBegun ? undefined : props.description}
      stays
      wide={hasBegun}
    >
      {!hasBegun && (
        <Fields>
          <NamedItems label="Items" names={names} nameOf={props.nameOf} />
          {props.children}
          {confirming}
        </Fields>
      )}
      {hasBegun && <BulkOutcome names={names} nameOf={props.nameOf} states={states} sum={text} isRunning={isRunning} />}
      <DialogActions>
        {typeof first === 'object' ? <CopyAsCurl path={props.path} request={first} /> : <span />}
        <Button onClick={close}>{hasBegun ? 'Close' : 'Cancel'}</Button>
        {changes.size > 0 && !isRunning && <Button onClick={() => setUndoing(true)}>{undoAll}</Button>}
        {(!hasBegun || refused > 0) && (
          <Button
            look={props.danger === true ? 'danger' : 'primary'}
            disabled={requestOf === null || !isConfirmed}
            pending={isRunning}
            onClick={() => void run()}
          >
            {refused > 0 && !isRunning ? `Try the ${refused} again` : props.verb}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

interface Sum {
  readonly all: number;
  readonly done: number;
  readonly skipped: number;
  readonly refused: number;
  readonly isRunning: boolean;
}

/** Progress or outcome, in a sentence. */
function sumText(
  { all, done, skipped, refused, isRunning }: Sum,
  { doneText, skippedText }: Pick<BulkDialogProps<Path>, 'doneText' | 'skippedText'>,
): string {
  if (isRunning) return `${done + skipped + refused} of ${all}…`;
  const parts = [doneText?.(done) ?? `${done} of ${all} done`];
  if (skipped > 0) parts.push(skippedText?.(skipped) ?? `${countText(skipped)} had nothing to do`);
  if (refused > 0) parts.push(`${refused} refused`);
  return `${parts.join(', ')}.`;
}
