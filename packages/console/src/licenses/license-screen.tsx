/** The page of one license: first why an app is refused, then all details and actions. */
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { NoItem } from '../actions/no-item.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { GetLicenseReply, License } from '../api/contract.ts';
import { late } from '../api/late.tsx';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { CopyButton, Key } from '../parts/copy.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { Loading } from '../parts/skeleton.tsx';
import { Badge, StatusOf } from '../parts/status.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { THREAT_HINT, threatText } from '../sentences/violations.ts';
import { Files } from './files.tsx';
import { licenseRequest } from './first-reads.ts';
import { LicenseActions } from './license-actions.tsx';
import styles from './licenses.module.css';
import { Machines } from './machines.tsx';
import { Purchase } from './purchase.tsx';
import { Timeline } from './timeline.tsx';
import { Users } from './users.tsx';
import { Violations } from './violations.tsx';
import { Why } from './why.tsx';
import { endText, limitText, STATUS_WORDS, typeText } from './words.ts';

/** The countries. They load on demand, because the shapes of the map are as large as a whole screen. */
const MapOfLicense = late(async () => (await import('./map-of-license.tsx')).MapOfLicense, {
  loading: <Loading what="the map" lines={8} />,
  failed: () => <p className={styles.quiet}>The map was not loaded. Reload the page to see it.</p>,
});

/** The terms. They load on demand, because few readers of a license change them. */
const LicenseTerms = late(async () => (await import('./license-terms-tab.tsx')).LicenseTerms, {
  loading: <Loading what="the terms" lines={4} />,
  failed: () => <p className={styles.quiet}>The terms were not loaded. Reload the page to see them.</p>,
});

/** Seconds between reads while the page is in sight. */
const EVERY_SECONDS = 15;

const BACK = { title: 'Licenses', href: '#/licenses' };

export function Screen() {
  const { licenseKey } = useParams({ strict: false }) as { readonly licenseKey: string };
  const read = useRead('/getLicense', licenseRequest(licenseKey), { everySeconds: EVERY_SECONDS });
  if (read.data !== undefined) return <LicensePage reply={read.data} notice={readNotice(read)} />;
  return (
    <NoItem
      title="License"
      shownTitle={<Key value={licenseKey} whole />}
      what="the license"
      back={BACK}
      all="All licenses"
      read={read}
      missing="license_not_found"
    />
  );
}

function LicensePage({ reply, notice }: { readonly reply: GetLicenseReply; readonly notice: ReactNode }) {
  const { license, activations, activationCount, violations } = reply;
  const { values, set } = useFilters(['tab', 'machine']);
  const { service } = useSession();
  const hasCountries = service.countriesKnown || activations.some(({ countries }) => countries.length > 0);
  const open = violations.filter(({ resolvedAt }) => resolvedAt === null);
  const parts = useRef<HTMLDivElement>(null);
  useShortcuts([
    { keys: 'y', does: 'Copy the key', run: () => void navigator.clipboard.writeText(license.key) },
    { keys: 'm', does: 'Machines', run: () => set({ tab: '' }) },
    { keys: 't', does: 'Timeline', run: () => set({ tab: 'timeline' }) },
  ]);
  return (
    <Page
      title={`License of ${license.email}`}
      back={BACK}
      shownTitle={
        <span className={styles.keyTitle}>
          <Key value={license.key} whole copy />
        </span>
      }
      subtitle={<Facts license={license} />}
      actions={<LicenseActions license={license} activationCount={activationCount} activations={activations} />}
    >
      {notice}
      <OtherKeys license={license} />
      <Why
        licenseKey={license.key}
        activations={activations}
        activationCount={activationCount}
        machine={values.machine}
        onMachine={(machine) => set({ machine })}
        onReview={(tab) => {
          set({ tab });
          parts.current?.scrollIntoView({ block: 'start' });
        }}
      />
      <div ref={parts}>
        <Tabs
          label="Parts of the license"
          value={values.tab === '' ? 'machines' : values.tab}
          onChange={(tab) => set({ tab: tab === 'machines' ? '' : tab })}
          tabs={[
            {
              value: 'machines',
              title: 'Machines',
              count: activationCount,
              content: () => <Machines reply={reply} />,
            },
            ...(license.maxUsers
              ? [{ value: 'users', title: 'Users', content: () => <Users license={license} /> }]
              : []),
            ...(hasCountries
              ? [
                  {
                    value: 'countries',
                    title: 'Countries',
                    content: () => <MapOfLicense license={license} activationCount={activationCount} />,
                  },
                ]
              : []),
            { value: 'timeline', title: 'Timeline', content: () => <Timeline licenseKey={license.key} /> },
            {
              value: 'violations',
              title: 'Violations',
              count: open.length,
              content: () => <Violations license={license} violations={violations} activations={activations} />,
            },
            { value: 'terms', title: 'Terms', content: () => <LicenseTerms license={license} usage={reply.usage} /> },
            { value: 'purchase', title: 'Purchase', content: () => <Purchase license={license} /> },
            { value: 'files', title: 'License files', content: () => <Files license={license} /> },
          ]}
        />
      </div>
    </Page>
  );
}

function Facts({ license }: { readonly license: License }) {
  const { email, productId, variant, licenseType, status, threatLevel } = license;
  const now = useNow();
  return (
    <>
      <StatusOf {...STATUS_WORDS[status]} />
      {threatLevel > 0 && (
        <a href={`#/licenses/${encodeURIComponent(license.key)}?tab=violations`} title={THREAT_HINT}>
          <Badge tone={threatLevel >= 3 ? 'danger' : 'warn'}>{threatText(threatLevel)}</Badge>
        </a>
      )}
      <span className={styles.customer}>
        <a href={`#/customers/${encodeURIComponent(email)}`} title="This customer">
          {email}
        </a>
        <CopyButton text={email} label="Copy the e-mail address" />
      </span>
      <span>
        {productId} / {variant}
      </span>
      <span>
        {typeText(licenseType)}, {limitText(license)}
      </span>
      <span className={styles.sentence}>{endText(license, now)}</span>
    </>
  );
}

/** The licenses whose place this one took, and that took its place. */
function OtherKeys({ license: { replaces, replacedBy } }: { readonly license: License }) {
  return (
    <>
      {replacedBy !== undefined && (
        <Notice tone="warn" title="This key was replaced, and works no more.">
          The license goes on with the key <OtherKey licenseKey={replacedBy} />.
        </Notice>
      )}
      {replaces !== undefined && (
        <Notice title="This license has a new key.">
          It took the place of <OtherKey licenseKey={replaces} />.
        </Notice>
      )}
    </>
  );
}

function OtherKey({ licenseKey }: { readonly licenseKey: string }) {
  return (
    <a href={`#/licenses/${encodeURIComponent(licenseKey)}`}>
      <Key value={licenseKey} />
    </a>
  );
}
