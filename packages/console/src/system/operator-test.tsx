/** A test e-mail to the operator, and its result. */
import { useEffect, useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { useRead } from '../api/reads.ts';
import { Button } from '../parts/button.tsx';
import { Status } from '../parts/status.tsx';
import styles from './screen.module.css';
import { testResultOf } from './words.ts';

/** Seconds between two looks at e-mails that wait. */
const EVERY_SECONDS = 2;
/** E-mails that others queue at the same time are listed, too. */
const LISTED = 50;

/** The button that sends a test to every address of the operator, and the result of the last one. */
export function OperatorTest() {
  const [mailIds, setMailIds] = useState<readonly string[]>([]);
  const { make, isPending } = useQuickChange('/testOperatorMail', (reply) => setMailIds(reply.mailIds));
  return (
    <>
      <p>
        <Button onClick={() => make({})} pending={isPending}>
          Send a test e-mail
        </Button>
      </p>
      {mailIds.length > 0 && <Results key={mailIds.join()} mailIds={mailIds} />}
    </>
  );
}

/** The results of some e-mails, as they come in. */
function Results({ mailIds }: { readonly mailIds: readonly string[] }) {
  const [isOver, setOver] = useState(false);
  const { data } = useRead('/listMails', { limit: LISTED }, isOver ? {} : { everySeconds: EVERY_SECONDS });
  const mails = (data?.mails ?? []).filter(({ mailId }) => mailIds.includes(mailId));
  const isSettled = mails.length === mailIds.length && mails.every(({ state }) => state !== 'waiting');
  useEffect(() => setOver(isSettled), [isSettled]);
  return (
    <div role="status">
      {mails.map((mail) => {
        const { tone, title } = testResultOf(mail);
        return (
          <p key={mail.mailId} className={styles.long}>
            <Status tone={tone}>{title}</Status>
          </p>
        );
      })}
    </div>
  );
}
