/** The e-mails about sales that failed, each with a button to send it again. */
import { useState } from 'react';
import { SendAgainDialog } from '../actions/send-again-dialog.tsx';
import type { Mail } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { canSendAgain, failureText, reasonText } from '../sentences/mail-failures.ts';
import { kindText } from '../sentences/mail-names.ts';
import styles from './shops.module.css';

const EVERY_SECONDS = 15;
const KINDS_OF_SALES = ['sale_keys', 'keys_added', 'payment_failed'];

/** Renders nothing while every e-mail was sent. */
export function FailedMails() {
  const [sending, setSending] = useState<Mail | null>(null);
  const maySend = useCan('/mailLicense');
  const read = useRead(
    '/listMails',
    { state: 'failed', limit: 50 },
    { enabled: useCan('/listMails'), everySeconds: EVERY_SECONDS, later: true },
  );
  const failed = (read.data?.mails ?? []).filter((mail) => canSendAgain(mail) && KINDS_OF_SALES.includes(mail.kind));
  if (failed.length === 0 && sending === null) return null;
  return (
    <Section title="E-mails that failed" hint="Their buyers have paid and may have no key.">
      <ul className={styles.inbox} aria-label="E-mails that failed">
        {failed.map((mail) => (
          <li key={mail.mailId} className={styles.item}>
            <div className={styles.what}>
              <h3>
                {kindText(mail.kind)}, to {mail.to}
              </h3>
              <p>{reasonText(mail.lastError)}</p>
              <p className={styles.facts}>
                <a href={`#/licenses/${encodeURIComponent(mail.licenseKey ?? '')}`}>
                  <Key value={mail.licenseKey ?? ''} />
                </a>
                <Time at={mail.settledAt ?? mail.createdAt} />
              </p>
            </div>
            {maySend && (
              <div className={styles.remedies}>
                <Button small label={`Send again to ${mail.to}`} onClick={() => setSending(mail)}>
                  Send again
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {sending !== null && (
        <SendAgainDialog of={sending} reason={failureText(sending)} onClose={() => setSending(null)} />
      )}
    </Section>
  );
}
