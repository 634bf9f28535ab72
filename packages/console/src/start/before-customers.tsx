/** The second part of the first steps: they prepare an installation for customers. Each step can be skipped. */
import type { ReactNode } from 'react';
import { SETUP_PARTS, type Setup, type SetupPart, skipSetup } from '../api/setup.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { CodeLine } from '../parts/curl.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import unseen from '../parts/unseen.module.css';
import styles from './start.module.css';
import { Step } from './step.tsx';

interface Words {
  readonly title: string;
  readonly about: string;
  /** The fact of a step that is done. */
  done(setup: Setup): ReactNode;
  /** The lines to paste. */
  readonly way: ReactNode;
  readonly links: readonly { readonly href: string; readonly text: string }[];
}

const WORDS: Readonly<Record<SetupPart, Words>> = {
  mail: {
    title: 'Connect your mail server',
    about: 'Buyers get their keys by e-mail, customers sign in with a code, and you hear when something needs you.',
    done: ({ facts: { operatorMails } }) =>
      operatorMails === null ? (
        <span>
          E-mails leave. <Mono>LATCHKEY_OPERATOR_EMAIL</Mono> lets them tell you, too, when something needs you.
        </span>
      ) : (
        <span>E-mails leave, and tell {operatorMails.addresses.join(', ')} when something needs you.</span>
      ),
    way: (
      <>
        <p className={styles.quiet}>Set these variables and restart the service.</p>
        <CodeLine
          label="the variables of the mail server"
          line={[
            'LATCHKEY_SMTP_URL=smtps://user:password@mail.example.com',
            "LATCHKEY_MAIL_FROM='Example <licenses@example.com>'",
            'LATCHKEY_OPERATOR_EMAIL=you@example.com',
          ].join('\n')}
        />
      </>
    ),
    links: [{ href: '../docs/mail', text: 'How e-mails leave' }],
  },
  pages: {
    title: 'Open the pages for customers',
    about: 'Customers find their keys and free their computers at /my, instead of writing to you.',
    done: () => (
      <>
        <a href="../my">The pages are open</a> <a href="#/brand">Their brand</a>
      </>
    ),
    way: (
      <>
        <p className={styles.quiet}>Set these variables and restart the service.</p>
        <CodeLine
          label="the variables of the pages for customers"
          line={'LATCHKEY_PUBLIC_URL=https://licenses.example.com\nLATCHKEY_SELF_SERVICE=on'}
        />
      </>
    ),
    links: [{ href: '../docs/self-service', text: 'What customers see' }],
  },
  backup: {
    title: 'Make a backup each day',
    about: 'The database holds what you sold. A backup also tells this screen when it was made.',
    done: ({ facts: { lastBackupAt } }) =>
      lastBackupAt !== null && <span>Last backup {<Time at={lastBackupAt} />}</span>,
    way: <CodeLine label="the command of a backup" line="latchkey backup /var/backups/latchkey/first.db" />,
    links: [{ href: '../docs/operations#backup-and-restore', text: 'More about backups' }],
  },
  people: {
    title: 'Give each person an own way in',
    about: 'The history then names who did what, and the admin secret can stay in a safe.',
    done: ({ facts: { identityProvider }, keys }) => (
      <span>
        {[
          ...(identityProvider ? ['People sign in with accounts of your organization'] : []),
          ...(keys.length === 0 ? [] : [counted(keys.length, 'key of a person', 'keys of people')]),
        ].join(', ')}
      </span>
    ),
    way: null,
    links: [
      { href: '#/keys', text: 'Make a key' },
      { href: '../docs/oidc', text: 'Organization accounts' },
    ],
  },
};

/** @param from the number of the first step */
export function BeforeCustomers({ setup, from }: { readonly setup: Setup; readonly from: number }) {
  return (
    <section aria-labelledby="before-customers" className={styles.second}>
      <h2 id="before-customers">Before customers come</h2>
      <ol className={styles.steps}>
        {SETUP_PARTS.map((part, index) => (
          <SetupStep key={part} part={part} number={from + index} setup={setup} />
        ))}
      </ol>
    </section>
  );
}

function SetupStep({
  part,
  number,
  setup,
}: {
  readonly part: SetupPart;
  readonly number: number;
  readonly setup: Setup;
}) {
  const { title, about, done, way, links } = WORDS[part];
  const step = { level: 'h3', number, title, about } as const;
  if (setup.isDone(part))
    return (
      <Step
        {...step}
        done={
          <>
            <Status tone="good">Done</Status> {done(setup)}
          </>
        }
        action={null}
      />
    );
  const isSkipped = setup.isSkipped(part);
  return (
    <Step
      {...step}
      done={isSkipped && <Status tone="quiet">Skipped in this browser</Status>}
      action={
        // The button keeps its place among the elements, and so the focus.
        <div className={styles.lines}>
          {!isSkipped && way}
          <div className={styles.result}>
            {(isSkipped ? [] : links).map(({ href, text }) => (
              <LinkButton key={href} href={href}>
                {text}
              </LinkButton>
            ))}
            <Button look="quiet" onClick={() => skipSetup(part, !isSkipped)}>
              {isSkipped ? 'Take up' : 'Skip'}
              <span className={unseen.unseen}> {title}</span>
            </Button>
          </div>
        </div>
      }
      keepsAction
    />
  );
}
