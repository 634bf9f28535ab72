/**
 * The dialog for one action on many items: asks for confirmation, shows progress, and lists the outcome of each item.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Path, ReplyOf, RequestOf } from '../api/contract.ts';
import { late } from '../api/late.tsx';
import { Button } from '../parts/button.tsx';
import { countText } from '../parts/count-words.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields } from '../parts/field.tsx';
import { NamedItems } from '../parts/named-items.tsx';
import { toast } from '../parts/toast.tsx';
import { useTypedCount } from '../parts/typed-count.tsx';
import { type Bulk, type BulkRequest, useBulk } from './bulk.ts';
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
  readonly changeOf?: (name: string, request: RequestOf<At>, reply: ReplyOf<At>) => UndoableChange | null;
  /** The note that is written on each license once it is done; null for none. */
  readonly noteOf?: (name: string) => RequestOf<'/addNote'> | null;
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
  const bulk = useBulk(props.path, requests, props.noteOf);
  const { states, isRunning, done, refused, noteless, left, run, stop } = bulk;
  const hasBegun = states.size > 0;
  const open = refused + noteless + left;
  // The shell command shows the first request; the others differ in the item name alone.
  const [first] = requests.values();
  const changes = new Map<string, UndoableChange>();
  for (const [name, state] of states) {
    const change = state.state === 'done' ? props.changeOf?.(name, state.request, state.reply) : null;
    if (change) changes.set(name, change);
  }
  const text = sumText({ ...bulk, all: names.length }, props);
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
        {isRunning && names.length > 1 && <Button onClick={stop}>Stop</Button>}
        {changes.size > 0 && !isRunning && <Button onClick={() => setUndoing(true)}>{undoAll}</Button>}
        {(!hasBegun || open > 0) && (
          <Button
            look={props.danger === true ? 'danger' : 'primary'}
            disabled={requestOf === null || !isConfirmed}
            pending={isRunning}
            onClick={() => void run()}
          >
            {open === 0 || isRunning
              ? props.verb
              : left > 0
                ? `Go on with ${countText(open)}`
                : `Try the ${countText(open)} again`}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

interface Sum extends Pick<Bulk<unknown>, 'done' | 'skipped' | 'refused' | 'noteless' | 'left' | 'isRunning'> {
  readonly all: number;
}

/** Progress or outcome, in a sentence. */
function sumText(
  { all, done, skipped, refused, noteless, left, isRunning }: Sum,
  { doneText, skippedText }: Pick<BulkDialogProps<Path>, 'doneText' | 'skippedText'>,
): string {
  if (isRunning) return `${countText(done + skipped + refused)} of ${countText(all)}…`;
  const parts = [doneText?.(done) ?? `${countText(done)} of ${countText(all)} done`];
  if (skipped > 0) parts.push(skippedText?.(skipped) ?? `${countText(skipped)} had nothing to do`);
  if (refused > 0) parts.push(`${countText(refused)} refused`);
  if (noteless > 0) parts.push(`${countText(noteless)} without the note`);
  if (left > 0) parts.push(`${countText(left)} not sent`);
  return `${parts.join(', ')}.`;
}
