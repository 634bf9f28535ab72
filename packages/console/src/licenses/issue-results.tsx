/**
 * The results of issuing licenses: each key, a button to copy all, a CSV file, and the refusals with a retry; and of
 * e-mailing the keys, if that was asked for.
 */
import { useEffect, useMemo } from 'react';
import { type Bulk, type BulkState, requestIdOfState, useBulk } from '../actions/bulk.ts';
import type { CreateLicenseReply, MailLanguage, RequestOf } from '../api/contract.ts';
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
  /** The language of the e-mails with the keys; null if none are sent. */
  readonly mailed: MailLanguage | null;
  readonly onClose: () => void;
}

export function IssueResults({ bulk, requests, mailed, onClose }: IssueResultsProps) {
  const issued = [...bulk.states.values()].flatMap((state) => (state.state === 'done' ? [state.reply] : []));
  const mails = useMails(bulk, mailed);
  const isRunning = bulk.isRunning || mails.isRunning;
  return (
    <>
      <p role="status" className={styles.preview}>
        {said(bulk, requests.size)}
        {mailed !== null && mails.states.size > 0 && ` ${mailsSaid(mails, issued.length)}`}
      </p>
      <OutcomeList
        label="Issued licenses"
        lines={[...requests].map(([name, { email }]) => ({
          key: name,
          name: <span className={styles.quiet}>{email}</span>,
          outcome: <Outcome state={bulk.states.get(name)} mail={mails.states.get(name)} />,
          requestId: requestIdOfState(mails.states.get(name) ?? bulk.states.get(name)),
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
        {bulk.refused > 0 && !isRunning && (
          <Button onClick={() => void bulk.run()}>Try the {bulk.refused} again</Button>
        )}
        {mails.refused > 0 && !isRunning && (
          <Button onClick={() => void mails.run()}>E-mail the {mails.refused} again</Button>
        )}
        <Button look="primary" onClick={onClose} disabled={isRunning}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}

/** E-mails the keys after they are issued. A repeat queues only the e-mails that were refused. */
function useMails(issuing: Bulk<CreateLicenseReply>, mailed: MailLanguage | null): Bulk<object> {
  const requests = useMemo(() => {
    const all = new Map<string, RequestOf<'/mailLicense'>>();
    if (mailed === null) return all;
    for (const [name, state] of issuing.states)
      if (state.state === 'done') all.set(name, { licenseKey: state.reply.licenseKey, language: mailed });
    return all;
  }, [issuing.states, mailed]);
  const mails = useBulk('/mailLicense', requests);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of issuing triggers it
  useEffect(() => {
    if (!issuing.isRunning && requests.size > mails.states.size) void mails.run();
  }, [issuing.isRunning]);
  return mails;
}

function mailsSaid({ isRunning, done, refused }: Bulk<unknown>, all: number): string {
  if (isRunning) return `${done + refused} of ${all} e-mailed…`;
  const queued = `${counted(done, 'e-mail')} ${done === 1 ? 'is' : 'are'} on the way.`;
  return refused === 0 ? queued : `${queued} ${refused} ${refused === 1 ? 'was' : 'were'} refused.`;
}

function said({ isRunning, done, refused }: Bulk<unknown>, all: number): string {
  if (isRunning) return `${done + refused} of ${all}…`;
  const issued = `${counted(done, 'license')} ${done === 1 ? 'was' : 'were'} issued.`;
  return refused === 0 ? issued : `${issued} ${refused} ${refused === 1 ? 'was' : 'were'} refused.`;
}

interface OutcomeProps {
  readonly state: BulkState<CreateLicenseReply> | undefined;
  /** The e-mail with the key; undefined without one. */
  readonly mail: BulkState<object> | undefined;
}

function Outcome({ state, mail }: OutcomeProps) {
  if (state?.state === 'done')
    return (
      <>
        <Key value={state.reply.licenseKey} whole copy />
        {mail?.state === 'done' && <Status tone="good">E-mailed</Status>}
        {mail?.state === 'refused' && <Status tone="danger">{wordsFor(mail.refusal).title}</Status>}
      </>
    );
  if (state?.state === 'refused') return <Status tone="danger">{wordsFor(state.refusal).title}</Status>;
  return <Status tone="quiet">Waiting</Status>;
}
