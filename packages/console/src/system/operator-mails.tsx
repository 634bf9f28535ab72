/** The recipients of e-mails to the operator, and the kinds that they get. */
import type { GetSystemReply, NoticeKind } from '../api/contract.ts';
import { Mono } from '../parts/copy.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { OperatorTest } from './operator-test.tsx';

const KINDS: Readonly<Record<NoticeKind, string>> = {
  destination_failing: 'failing destinations',
  mails_failed: 'failed e-mails',
  shop_attention: 'shops that need a decision',
  certificate_ending: 'the end of the certificate',
  backup_missing: 'missing backups',
  refusals_spike: 'a spike of refusals',
  digest: 'the week, on Mondays',
};

export function OperatorMails({ setup }: { readonly setup: GetSystemReply['setup'] | undefined }) {
  return (
    <Section title="E-mails to the operator">
      {setup === undefined ? <Skeleton width="60%" /> : <Told {...setup} />}
    </Section>
  );
}

function Told({ operatorMails, sendsMail }: GetSystemReply['setup']) {
  if (operatorMails === null)
    return (
      <p>
        Nobody is told by e-mail when something needs you. <Mono>LATCHKEY_OPERATOR_EMAIL</Mono> names the addresses.
      </p>
    );
  if (!sendsMail)
    return (
      <p>
        Nobody is told: this node has no mail server. <Mono>LATCHKEY_SMTP_URL</Mono> names one.
      </p>
    );
  const { addresses, kinds } = operatorMails;
  return (
    <>
      <Facts
        facts={[
          { title: 'To', value: addresses.join(', ') },
          { title: 'About', value: kinds.map((kind) => KINDS[kind]).join(', ') },
        ]}
      />
      <OperatorTest />
    </>
  );
}
