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

export function BulkOutcome({ names, nameOf, states, sum, isRunning }: BulkOutcomeProps) {
  return (
    <>
      <p className={styles.sum} role="status">
        {sum}
      </p>
      {names.length > 1 && !isRunning && <RequestIds of={names.map((name) => requestIdOfState(states.get(name)))} />}
      <OutcomeList
        label="Result of each item"
        lines={names.map((name) => ({
          key: name,
          name: nameOf(name),
          outcome: <Outcome state={states.get(name)} />,
          requestId: requestIdOfState(states.get(name)),
        }))}
      />
    </>
  );
}

function Outcome({ state }: { readonly state: BulkState<unknown> | undefined }) {
  if (state?.state === 'refused') return <Status tone="danger">{wordsFor(state.refusal).title}</Status>;
  if (state === undefined || state.state === 'waiting') return <Status tone="quiet">Waiting</Status>;
  if (state.state === 'sent') return <Status tone="quiet">Sending</Status>;
  if (state.state === 'done') return <Status tone="good">Done</Status>;
  return <Status tone="quiet">Nothing to do</Status>;
}
