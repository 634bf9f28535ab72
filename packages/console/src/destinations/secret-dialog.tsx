/** Shows the secret of a destination once, with code that verifies its signatures. */
import { useState } from 'react';
import { ShownOnce } from '../actions/shown-once.tsx';
import { CodeLine } from '../parts/curl.tsx';
import { Tabs } from '../parts/tabs.tsx';
import styles from './destinations.module.css';
import { VERIFIERS } from './verifiers.ts';

/** A new secret. */
export interface NewSecret {
  readonly secret: string;
  /** The name of the destination. */
  readonly name: string;
  /** A sentence about the former secret; absent for a new destination. */
  readonly former?: string;
  /** The ID of the request that made it; null if unknown. */
  readonly requestId: string | null;
}

export function SecretDialog({
  secret,
  name,
  former,
  requestId,
  onClose,
}: NewSecret & { readonly onClose: () => void }) {
  const [language, setLanguage] = useState(VERIFIERS[0]!.language);
  return (
    <ShownOnce
      secret={secret}
      kind="secret"
      title={`The secret of ${name}`}
      description={`It signs each event. Give it to the receiver now: it is shown only this once.${former === undefined ? '' : ` ${former}`}`}
      requestId={requestId}
      onClose={onClose}
    >
      <div className={styles.verifiers}>
        <p className={styles.quiet}>The receiver verifies the raw body before it parses it:</p>
        <Tabs
          label="Language"
          value={language}
          onChange={setLanguage}
          tabs={VERIFIERS.map((each) => ({
            value: each.language,
            title: each.language,
            content: () => <CodeLine line={each.code} label={`the verifier in ${each.language}`} />,
          }))}
        />
      </div>
    </ShownOnce>
  );
}
