/** The progress and the outcome of an action on many items: a sentence, and a line for each item. */
import type { ReactNode } from 'react';
import { wordsFor } from '../api/refusal-words.ts';
import { OutcomeList } from '../parts/outcome-list.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { Status } from '../parts/status.tsx';
import { type BulkState, requestIdOfState } from './bulk.ts';
import styles from './bulk-dialog.module.css';

export interface BulkOutcomeProps {
  readonly names: readonly string[];
  readonly nameOf: (name: string) => ReactNode;
  readonly states: ReadonlyMap<string, BulkState<object>>;
  /** Progress or outcome in a sentence. */
  readonly sum: string;
  readonly isRunning: boolean;
}

/** Maximum number of items that are listed: a page with thousands of lines stops answering. */
const MAX_LISTED = 200;

export function BulkOutcome({ names, nameOf, states, sum, isRunning }: BulkOutcomeProps) {
  const listed = listedAmong(names, states);
  return (
    <>
      <p className={styles.sum} role="status">
        {sum}
      </p>
      {names.length > 1 && !isRunning && <RequestIds of={listed.map((name) => requestIdOfState(states.get(name)))} />}
      <OutcomeList
        label="Result of each item"
        lines={listed.map((name) => ({
          key: name,
          name: nameOf(name),
          outcome: <Outcome state={states.get(name)} />,
          requestId: requestIdOfState(states.get(name)),
        }))}
        further={names.length - listed.length}
      />
    </>
  );
}

/** The items to list: all of them, or the first ones with those that were refused on top. */
function listedAmong(names: readonly string[], states: ReadonlyMap<string, BulkState<object>>): readonly string[] {
  if (names.length <= MAX_LISTED) return names;
  const isRefused = (name: string) => states.get(name)?.state === 'refused';
  const refused = names.filter(isRefused);
  return [...refused, ...names.filter((name) => !isRefused(name))].slice(0, MAX_LISTED);
}

function Outcome({ state }: { readonly state: BulkState<unknown> | undefined }) {
  if (state?.state === 'refused') return <Status tone="danger">{wordsFor(state.refusal).title}</Status>;
  if (state === undefined || state.state === 'waiting') return <Status tone="quiet">Waiting</Status>;
  if (state.state === 'sent') return <Status tone="quiet">Sending</Status>;
  if (state.state === 'done')
    return state.noteRefusal === undefined ? (
      <Status tone="good">Done</Status>
    ) : (
      <Status tone="warn">Done, without its note. {wordsFor(state.noteRefusal).title}</Status>
    );
  return <Status tone="quiet">Nothing to do</Status>;
}
