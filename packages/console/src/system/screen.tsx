/** The service itself, and the sessions of its console. */
import { readNotice } from '../actions/refusal-notice.tsx';
import { useRead } from '../api/reads.ts';
import { LinkButton } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Status, StatusOf } from '../parts/status.tsx';
import { NodeFacts } from './node-facts.tsx';
import { OpenSetup } from './open-setup.tsx';
import { OperatorMails } from './operator-mails.tsx';
import { useReadiness } from './readiness.ts';
import styles from './screen.module.css';
import { Sessions } from './sessions.tsx';
import { warningsOf } from './warnings.ts';
import { READINESS_WORDS, sessionsText } from './words.ts';

/** Seconds between reads while the screen is in sight. */
const EVERY_SECONDS = 60;

/** The screen of the system, for owners. */
export function Screen() {
  const readiness = useReadiness();
  const { data: system, error, refetch } = useRead('/getSystem', {}, { everySeconds: EVERY_SECONDS });
  const warnings = system === undefined ? [] : warningsOf(system);
  return (
    <Page
      title="System"
      subtitle={readiness === undefined ? <Skeleton width="80px" /> : <StatusOf {...READINESS_WORDS[readiness]} />}
      actions={
        <>
          <LinkButton href="../docs">Reference</LinkButton>
          <LinkButton href="../openapi.json">openapi.json</LinkButton>
        </>
      }
    >
      {(error !== null || warnings.length > 0) && (
        <div className={styles.notices}>
          {readNotice({ data: system, error, refetch })}
          {warnings.map(({ about, tone, title, advice }) => (
            <Notice
              key={about}
              tone={tone}
              title={
                <span className={styles.long}>
                  <Status tone={tone}>{title}</Status>
                </span>
              }
              actions={
                <LinkButton small href="../docs#/getSystem">
                  Read more
                </LinkButton>
              }
            >
              {advice}
            </Notice>
          ))}
        </div>
      )}
      {(error === null || system !== undefined) && <NodeFacts system={system} warnings={warnings} />}
      <OpenSetup />
      {(error === null || system !== undefined) && <OperatorMails setup={system?.setup} />}
      <Sessions
        hint={system === undefined ? error === null && <Skeleton width="60%" /> : sessionsText(system.retention)}
      />
    </Page>
  );
}
