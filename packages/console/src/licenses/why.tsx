/** "Why?": the present answer to an app on a machine, its reason, and the buttons that change it. */
import { useState } from 'react';
import { CopyAsCurl } from '../actions/curl.tsx';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import type { Activation, Path, RequestOf } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { maySend, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CopyButton, Key } from '../parts/copy.tsx';
import { SelectField } from '../parts/field.tsx';
import { useNow } from '../parts/now.ts';
import { Loading } from '../parts/skeleton.tsx';
import { Status } from '../parts/status.tsx';
import { checkTitle, machineName, type NamedMachine, nameAmong } from '../sentences/refusals.ts';
import { whyRequest } from './first-reads.ts';
import { RemedyButton, type RemedyButtonProps } from './remedy-button.tsx';
import { ReplyDialog } from './reply-dialog.tsx';
import { replyTo } from './reply-words.ts';
import { declines, evidenceFacts, verdictTitle } from './verdict-words.ts';
import styles from './why.module.css';
import {
  concerns,
  decidingCheck,
  type Explanation,
  lastRefusalText,
  outcomeText,
  remedyVerb,
  whyTitle,
} from './why-words.ts';

export interface WhyProps {
  readonly licenseKey: string;
  /** The machines to choose from. */
  readonly activations: readonly Activation[];
  /** The number of all machines. */
  readonly activationCount: number;
  /** The fingerprint of the chosen machine; '' for the machine that was refused last. */
  readonly machine: string;
  readonly onMachine: (fingerprint: string) => void;
  /** Shows a part of the license: its violations, or the timeline. */
  readonly onReview: (part: 'violations' | 'timeline') => void;
}

const SENDING: Path = '/sendReply';

/** Maximum number of machines in the choice. */
const MACHINES_OFFERED = 50;

export function Why({ licenseKey, activations, activationCount, machine, onMachine, onReview }: WhyProps) {
  const request = whyRequest(licenseKey, machine);
  const read = useRead('/explainLicense', request, { everySeconds: 15, keepPrevious: true });
  return (
    <section className={styles.panel} aria-label="Why?">
      {read.data !== undefined ? (
        <Explained
          explanation={read.data}
          request={request}
          machines={{ activations, activationCount }}
          onReview={onReview}
          chooser={<MachineChooser onChange={onMachine} activations={activations} explanation={read.data} />}
        />
      ) : read.error !== null ? (
        <RefusalNotice refusal={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Loading what="why apps are refused" lines={3} />
      )}
    </section>
  );
}

function Explained(props: {
  readonly explanation: Explanation;
  readonly request: RequestOf<'/explainLicense'>;
  readonly machines: RemedyButtonProps['machines'];
  readonly chooser: React.ReactNode;
  readonly onReview: WhyProps['onReview'];
}) {
  const { explanation } = props;
  const { verdict } = explanation;
  const now = useNow();
  const session = useSession();
  const mayTemplates = session.can.includes('/listReplyTemplates' satisfies Path);
  const deciding = decidingCheck(explanation);
  const last = lastRefusalText(explanation, now);
  const title = verdictTitle(verdict);
  const remedies = (deciding?.remedies ?? []).filter(
    (remedy) =>
      remedyVerb(remedy, deciding ?? { because: null }, now) !== null &&
      maySend(session, remedy.endpoint ?? '', Object.keys(remedy.fields)),
  );
  const waiting = (deciding?.remedies ?? []).filter(({ action }) => action === 'wait' || action === 'activate_machine');
  const reply = declines(verdict) ? 'Copy a declining reply' : 'Copy reply';
  const isReplyFirst = verdict.firstStep === 'decline' || verdict.firstStep === 'reply';
  const isReplyBefore = isReplyFirst || verdict.firstStep === 'review';
  const { productId } = explanation.license;
  const [product] = useRead('/listProducts', { productId, includeAll: true }, { later: true }).data?.products ?? [];
  const productName = product?.name ?? productId;
  const [isReplying, setReplying] = useState(false);
  const replyButtons = (
    <>
      <CopyButton
        text={() => replyTo(explanation, { product: productName })}
        label={`${reply} to the customer`}
        look={isReplyFirst ? 'primary' : 'plain'}
        small={false}
      >
        {reply}
      </CopyButton>
      {mayTemplates && (
        <Button onClick={() => setReplying(true)}>
          {session.can.includes(SENDING) ? 'Write a reply' : 'Other reply'}
        </Button>
      )}
    </>
  );
  return (
    <>
      <p className={styles.why}>Why?</p>
      <div className={styles.head}>
        <h2 className={styles.title}>
          <Status tone={deciding === null && title === null ? 'good' : 'warn'}>
            <span className={styles.said}>{title ?? whyTitle(explanation)}</span>
          </Status>
        </h2>
        {props.chooser}
      </div>
      {title !== null && <p className={styles.verdict}>{verdict.sentence}</p>}
      {title !== null && <Evidence verdict={verdict} />}
      <div className={styles.text}>
        {title !== null && <p>{whyTitle(explanation)}</p>}
        {last !== null && <p>{last}</p>}
        {deciding !== null && <p>{deciding.sentence}</p>}
        {deciding !== null && remedies.length === 0 && waiting.map(({ effect }) => <p key={effect}>{effect}</p>)}
      </div>
      {explanation.otherKey !== null && (
        <p className={styles.text}>
          The customer has another license for the product that works:{' '}
          <a href={`#/licenses/${encodeURIComponent(explanation.otherKey)}`}>
            <Key value={explanation.otherKey} />
          </a>
        </p>
      )}
      <Checks explanation={explanation} />
      <div className={styles.actions}>
        {verdict.firstStep === 'review' && <ReviewButton verdict={verdict} onReview={props.onReview} />}
        {isReplyBefore && replyButtons}
        {deciding !== null &&
          remedies.map((remedy, index) => (
            <RemedyButton
              key={`${remedy.action} ${JSON.stringify(remedy.fields)}`}
              remedy={remedy}
              check={deciding}
              license={explanation.license}
              machines={props.machines}
              isFirst={index === 0 && verdict.firstStep === 'remedy'}
            />
          ))}
        {!isReplyBefore && replyButtons}
        <CopyAsCurl path="/explainLicense" request={props.request} />
      </div>
      {isReplying && (
        <ReplyDialog
          explanation={explanation}
          machines={props.machines}
          productName={productName}
          creatorId={product?.creatorId ?? null}
          onClose={() => setReplying(false)}
        />
      )}
    </>
  );
}

/** The numbers that the verdict rests on. */
function Evidence({ verdict }: Pick<Explanation, 'verdict'>) {
  const facts = evidenceFacts(verdict);
  if (facts.length === 0) return null;
  return (
    <dl className={styles.evidence} aria-label="Evidence">
      {facts.map(({ term, value }) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Opens the violations, or the timeline of a revocation that recorded none. */
function ReviewButton({ verdict, onReview }: Pick<Explanation, 'verdict'> & Pick<WhyProps, 'onReview'>) {
  const hasViolations = verdict.code !== 'revoked';
  return (
    <Button look="primary" onClick={() => onReview(hasViolations ? 'violations' : 'timeline')}>
      {hasViolations ? 'Review the violations' : 'Review the timeline'}
    </Button>
  );
}

function Checks({ explanation }: { readonly explanation: Explanation }) {
  return (
    <ul className={styles.checks} aria-label="Present result of each call">
      {explanation.checks
        .filter((check) => concerns(check, explanation.machine))
        .map((check) => (
          <li key={check.endpoint} className={classes(styles.check)} title={check.error ?? check.sentence}>
            <span className={styles.checkTitle}>{checkTitle(check.endpoint)}</span>
            <Status tone={check.outcome === 'ok' ? 'good' : 'warn'}>{outcomeText(check.outcome)}</Status>
          </li>
        ))}
    </ul>
  );
}

function MachineChooser(props: {
  readonly onChange: (fingerprint: string) => void;
  readonly activations: readonly Activation[];
  readonly explanation: Explanation;
}) {
  const { activations, explanation } = props;
  const asked = explanation.machine;
  const known = new Map<string, NamedMachine>();
  for (const { machineFingerprint: fingerprint, hostname } of explanation.lastRefusals)
    if (fingerprint !== null) known.set(fingerprint, { fingerprint, hostname });
  for (const activation of activations.slice(0, MACHINES_OFFERED)) known.set(activation.fingerprint, activation);
  if (asked.fingerprint !== null) known.set(asked.fingerprint, asked);
  const machines = [...known.values()];
  if (known.size < 2) return null;
  return (
    <div className={styles.chooser}>
      <SelectField
        label="Machine"
        hideLabel
        value={asked.fingerprint ?? ''}
        onChange={props.onChange}
        options={[
          ...(asked.fingerprint === null ? [{ value: '', title: machineName(asked) }] : []),
          ...[...known].map(([value, machine]) => ({ value, title: nameAmong(machine, machines) })),
        ]}
      />
    </div>
  );
}
