/** The evidence of a sale on one printed page, for the answer to a chargeback: payment, e-mails, machines, use. */
import { useParams } from '@tanstack/react-router';
import { NoItem } from '../actions/no-item.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { GetLicenseReply } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { kindText, stateText } from '../sentences/mail-names.ts';
import { machineName } from '../sentences/refusals.ts';
import styles from './evidence.module.css';
import { countriesText, usageSentence, utcText } from './evidence.ts';
import { STATUS_WORDS } from './words.ts';

/** Machines and e-mails on the sheet: as many as fit on one page. */
const MAX_MACHINES = 12;
const MAX_MAILS = 8;

export function Screen() {
  const { licenseKey } = useParams({ strict: false }) as { readonly licenseKey: string };
  const read = useRead('/getLicense', { licenseKey, activationLimit: MAX_MACHINES });
  if (read.data !== undefined) return <Sheet reply={read.data} />;
  const back = { title: 'Licenses', href: '#/licenses' };
  return (
    <NoItem
      title="Evidence"
      what="the license"
      back={back}
      all="All licenses"
      read={read}
      missing="license_not_found"
    />
  );
}

function Sheet({ reply }: { readonly reply: GetLicenseReply }) {
  const { license, activations, activationCount } = reply;
  const { purchasedAt, purchaseId, disputeReason, status } = license;
  const hasMore = activationCount > activations.length;
  return (
    <Page
      title={`Evidence of ${license.productId}, ${license.email}`}
      back={{ title: 'License', href: `#/licenses/${encodeURIComponent(license.key)}` }}
      subtitle="One page for a bank or a payment provider. Times are in UTC."
      actions={
        <Button look="primary" onClick={() => print()}>
          Print
        </Button>
      }
      printsContentOnly
    >
      <div className={styles.sheet} data-appearance="light">
        <h2 className={styles.title}>
          License of <bdi>{license.email}</bdi> for {license.productId}
        </h2>
        <Section title="Payment">
          <Facts
            facts={[
              { title: 'Bought', value: utcText(purchasedAt) },
              { title: 'Purchase', value: purchaseId === null ? 'Issued without a shop' : <Mono>{purchaseId}</Mono> },
              { title: 'E-mail address', value: license.email },
              { title: 'License key', value: <Mono>{license.key}</Mono> },
              { title: 'Issued', value: utcText(license.createdAt) },
              { title: 'State', value: STATUS_WORDS[status].title },
              { title: 'Dispute', value: disputeReason },
            ]}
          />
        </Section>
        <Section title="Use">
          <p>{usageSentence(license, activations, hasMore)}</p>
          <p>Countries: {countriesText(activations)}</p>
        </Section>
        <Section title="Machines">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Machine</th>
                <th scope="col">First use</th>
                <th scope="col">Last use</th>
                <th scope="col">Countries</th>
              </tr>
            </thead>
            <tbody>
              {activations.map((machine) => (
                <tr key={machine.fingerprint}>
                  <td>{machineName(machine)}</td>
                  <td>{utcText(machine.firstSeen)}</td>
                  <td>{utcText(machine.lastSeen)}</td>
                  <td>{countriesText([machine])}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {hasMore && (
            <p className={styles.rest}>
              {activations.length} of {activationCount} machines.
            </p>
          )}
          {activationCount === 0 && <p>The license knows no machine today.</p>}
        </Section>
        {useCan('/listMails') && <Mails licenseKey={license.key} />}
      </div>
    </Page>
  );
}

function Mails({ licenseKey }: { readonly licenseKey: string }) {
  const read = useRead('/listMails', { licenseKey, limit: MAX_MAILS });
  const mails = read.data?.mails ?? [];
  return (
    <Section title="E-mails of the last 30 days">
      {readNotice(read)}
      {read.data !== undefined && mails.length === 0 && <p>None.</p>}
      <ul>
        {mails.map(({ mailId, kind, to, state, createdAt, settledAt }) => (
          <li key={mailId}>
            {kindText(kind)} to {to}: {stateText(state).toLowerCase()}, {utcText(settledAt ?? createdAt)}
          </li>
        ))}
      </ul>
    </Section>
  );
}
