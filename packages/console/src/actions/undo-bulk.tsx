/** Undoes an action on many items: one press for all, counts those that stay, and says why. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Path } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { countText } from '../parts/count-words.ts';
import { DialogActions } from '../parts/dialog.tsx';
import { useBulk } from './bulk.ts';
import { BulkOutcome } from './bulk-outcome.tsx';
import type { Undoing } from './undo.ts';
import { type UndoableChange, undoOfChange } from './undo-event.ts';

export interface BulkUndoProps {
  /** The changes by the name of the item, all of one type. */
  readonly changes: ReadonlyMap<string, UndoableChange>;
  /** Number of items that the action left as they were. */
  readonly left: number;
  readonly nameOf: (name: string) => ReactNode;
  readonly onClose: () => void;
}

/** Renders the content of a dialog, and begins at once. */
export function BulkUndo({ changes, left, nameOf, onClose }: BulkUndoProps) {
  // Fixed while the dialog is open: the list behind it changes with the outcome.
  const [undoings] = useState(() => undoingsOf(changes));
  const requests = new Map([...undoings].map(([name, { request }]) => [name, request]));
  const [path = '/updateLicense'] = [...undoings.values()].map((undoing): Path => undoing.path);
  const { states, isRunning, done, refused, run } = useBulk<Path>(path, requests);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the press that opened it began it
  useEffect(() => void run(), []);
  const stays = left + changes.size - undoings.size;
  const parts = [
    `${countText(done)} of ${countText(undoings.size)} undone`,
    ...(refused > 0 ? [`${countText(refused)} refused`] : []),
    ...(stays > 0 ? [`${countText(stays)} had nothing to undo`] : []),
  ];
  return (
    <>
      <BulkOutcome
        names={[...undoings.keys()]}
        nameOf={nameOf}
        states={states}
        sum={isRunning ? `${countText(done + refused)} of ${countText(undoings.size)}…` : `${parts.join(', ')}.`}
        isRunning={isRunning}
      />
      <DialogActions>
        <span />
        <Button onClick={onClose}>Close</Button>
        {refused > 0 && (
          <Button look="primary" pending={isRunning} onClick={() => void run()}>
            Try the {countText(refused)} again
          </Button>
        )}
      </DialogActions>
    </>
  );
}

function undoingsOf(changes: ReadonlyMap<string, UndoableChange>): ReadonlyMap<string, Undoing> {
  const undoings = new Map<string, Undoing>();
  for (const [name, change] of changes) {
    const undoing = undoOfChange(change);
    if (undoing !== null) undoings.set(name, undoing);
  }
  return undoings;
}
