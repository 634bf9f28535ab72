/** The steps of a vendor at a seller, with the address to paste. */
import { serviceAddress } from '../api/connection.ts';
import type { Connector } from '../api/contract.ts';
import { CodeLine } from '../parts/curl.tsx';
import { Notice } from '../parts/notice.tsx';
import styles from './shops.module.css';

/** The whole address of a shop. Without a public URL of the service, it begins with the address of this page. */
export function addressOf(url: string): string {
  return url.startsWith('/') ? `${serviceAddress()}${url}` : url;
}

export function SetupSteps({ of: { url, steps } }: { readonly of: Pick<Connector, 'url' | 'steps'> }) {
  const address = addressOf(url);
  return (
    <div className={styles.setup}>
      <CodeLine line={address} label="the address for the events" />
      {address !== url && (
        <Notice tone="warn" title="The seller must reach this address from the internet.">
          It begins with the address of this page, because the operator has not set LATCHKEY_PUBLIC_URL.
        </Notice>
      )}
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step}>{step.replace(url, address)}</li>
        ))}
      </ol>
    </div>
  );
}
