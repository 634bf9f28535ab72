/** The results of issuing licenses: each key, a button to copy all, a CSV file, and the refusals with a retry. */
import { type Bulk, requestIdOfState } from '../actions/bulk.ts';
import type { CreateLicenseReply, RequestOf } from '../api/contract.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton, Key } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { CsvButton } from '../parts/csv.tsx';
import { DialogActions } from '../parts/dialog.tsx';
import { OutcomeList } from '../parts/outcome-list.tsx';
import { Status } from '../parts/status.tsx';
import styles from './licenses.module.css';

export interface IssueResultsProps {
  readonly bulk: Bulk<CreateLicenseReply>;
  readonly requests: ReadonlyMap<string, RequestOf<'/createLicense'>>;
  readonly onClose: () => void;
}

export function IssueResults({ bulk, requests, onClose }: IssueResultsProps) {
  const issued = [...bulk.states.values()].flatMap((state) => (state.state === 'done' ? [state.reply] : []));
  return (
    <>
      <p role="status" className={styles.preview}>
        {said(bulk, requests.size)}
      </p>
      <OutcomeList
        label="Issued licenses"
        lines={[...requests].map(([name, { email }]) => ({
          key: name,
          name: <span className={styles.quiet}>{email}</span>,
          outcome: <Outcome state={bulk.states.get(name)} />,
          requestId: requestIdOfState(bulk.states.get(name)),
        }))}
      />
      <DialogActions>
        <CopyButton text={() => issued.map(({ licenseKey }) => licenseKey).join('\n')} label="Copy all keys">
          Copy all keys
        </CopyButton>
        <CsvButton
          file={{
            name: 'issued-licenses',
            entries: () =>
              issued.map(({ licenseKey, license }) => ({
                'E-mail': license.email,
                Key: licenseKey,
                Product: license.productId,
                Variant: license.variant,
                Expires: license.expiresAt,
              })),
          }}
        />
        {bulk.refused > 0 && !bulk.isRunning && (
          <Button onClick={() => void bulk.run()}>Try the {bulk.refused} again</Button>
        )}
        <Button look="primary" onClick={onClose} disabled={bulk.isRunning}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}

function said({ isRunning, done, refused }: Bulk<unknown>, all: number): string {
  if (isRunning) return `${done + refused} of ${all}…`;
  const issued = `${counted(done, 'license')} ${done === 1 ? 'was' : 'were'} issued.`;
  return refused === 0 ? issued : `${issued} ${refused} ${refused === 1 ? 'was' : 'were'} refused.`;
}

function Outcome({ state }: { readonly state: ReturnType<Bulk<CreateLicenseReply>['states']['get']> }) {
  if (state?.state === 'done') return <Key value={state.reply.licenseKey} whole copy />;
  if (state?.state === 'refused') return <Status tone="danger">{wordsFor(state.refusal).title}</Status>;
  return <Status tone="quiet">Waiting</Status>;
}
