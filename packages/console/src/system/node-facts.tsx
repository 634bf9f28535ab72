/** The answering node, its database, its certificate, and the retention periods. */
import { Fragment, type ReactNode } from 'react';
import type { GetSystemReply } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { Mono } from '../parts/copy.tsx';
import { sizeText } from '../parts/figures.ts';
import { type Fact, Facts, Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { spanText } from '../parts/span-words.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { dayText } from '../parts/time-words.ts';
import styles from './screen.module.css';
import type { Warning } from './warnings.ts';
import { countriesText, engineText, namesText, retentionTexts } from './words.ts';

interface Shown {
  /** Undefined while loading. */
  readonly system: GetSystemReply | undefined;
  readonly warnings: readonly Warning[];
}

export function NodeFacts(shown: Shown) {
  return (
    <>
      <Service {...shown} />
      <Database {...shown} />
      <Certificate {...shown} />
      <Kept {...shown} />
    </>
  );
}

function Service({ system }: Shown) {
  const { floatingTimeoutSeconds } = useSession().service;
  const { service, countries } = system ?? {};
  return (
    <Section title="Service">
      <ReadFacts
        isRead={system !== undefined}
        facts={[
          { title: 'Version', value: service?.version },
          { title: 'Node.js', value: service?.nodeJsVersion },
          { title: 'Machine', value: service?.hostname },
          { title: 'Started', value: service && <Time at={service.startedAt} /> },
          { title: 'Memory', value: service && sizeText(service.memoryBytes) },
          { title: 'Environment', value: service?.label || 'No label' },
          { title: 'Log', value: service && `${service.logLevel} and above` },
          { title: 'Countries of machines', value: countries && countriesText(countries) },
          { title: 'Floating sessions end after', value: spanText(floatingTimeoutSeconds) },
        ]}
      />
    </Section>
  );
}

function Database({ system, warnings }: Shown) {
  const { database } = system ?? {};
  const marked = (about: Warning['about'], value: ReactNode) => (
    <Marked warning={find(warnings, about)}>{value}</Marked>
  );
  return (
    <Section title="Database">
      <ReadFacts
        isRead={system !== undefined}
        facts={[
          { title: 'Engine', value: database && `${engineText(database.engine)} ${database.version}` },
          { title: 'Where', value: database && <LongName name={database.location} /> },
          { title: 'Size', value: database && (database.bytes === null ? 'Not known' : sizeText(database.bytes)) },
          {
            title: 'Free on its disk',
            value:
              database === undefined || (database.diskFreeBytes !== null && database.diskTotalBytes !== null)
                ? database &&
                  marked(
                    'disk',
                    `${sizeText(database.diskFreeBytes ?? 0)} of ${sizeText(database.diskTotalBytes ?? 0)}`,
                  )
                : database.engine === 'postgres'
                  ? null
                  : 'Not known',
          },
          {
            title: 'Tables',
            value:
              database &&
              marked(
                'migration',
                <>
                  <LongName name={database.migration.name} />, <Time at={database.migration.appliedAt} />
                </>,
              ),
          },
          {
            title: 'Clock',
            value:
              database === undefined
                ? undefined
                : database.time === null
                  ? 'That of the service'
                  : marked('clocks', find(warnings, 'clocks') === undefined ? 'As that of the service' : 'Differs'),
          },
        ]}
      />
    </Section>
  );
}

function Certificate({ system, warnings }: Shown) {
  const certificate = system?.certificate;
  if (certificate === null)
    return (
      <Section title="Certificate">
        <p>A proxy in front of the service terminates HTTPS and has the certificate.</p>
      </Section>
    );
  return (
    <Section title="Certificate">
      <ReadFacts
        isRead={system !== undefined}
        facts={[
          {
            title: 'For',
            value: certificate && <span title={certificate.names.join(', ')}>{namesText(certificate.names)}</span>,
          },
          {
            title: 'Ends',
            value: certificate && (
              <Marked warning={find(warnings, 'certificate')}>
                {dayText(certificate.endsAt)}, <Time at={certificate.endsAt} />
              </Marked>
            ),
          },
          {
            title: 'From',
            value:
              certificate && (certificate.selfSigned ? 'Self-signed by the service' : 'The files that were configured'),
          },
        ]}
      />
    </Section>
  );
}

function Kept({ system }: Shown) {
  const facts =
    system === undefined ? KEPT_TITLES.map((title) => ({ title, value: undefined })) : retentionTexts(system.retention);
  return (
    <Section title="Retention" hint="Older data is removed automatically.">
      <ReadFacts isRead={system !== undefined} facts={facts} />
    </Section>
  );
}

const KEPT_TITLES = [
  'Changes',
  'Notes',
  'Refusals',
  'Statistics',
  'Answers to repeated calls',
  'License files that expired',
];

/** Facts, with placeholders of the same height while loading. */
function ReadFacts({ isRead, facts }: { readonly isRead: boolean; readonly facts: readonly Fact[] }) {
  if (isRead) return <Facts facts={facts} />;
  return <Facts facts={facts.map(({ title }) => ({ title, value: <Skeleton width="60%" /> }))} />;
}

/** A value, with a mark if it needs attention. */
function Marked({ warning, children }: { readonly warning: Warning | undefined; readonly children: ReactNode }) {
  if (warning === undefined) return children;
  return (
    <span className={styles.long}>
      <Status tone={warning.tone}>
        <span>{children}</span>
      </Status>
    </span>
  );
}

const find = (warnings: readonly Warning[], about: Warning['about']) => warnings.find((each) => each.about === about);

/** A path or a name that may wrap after a slash or an underscore. */
function LongName({ name }: { readonly name: string }) {
  const ends = [...name.matchAll(/[/_]|$/g)].map(({ index }) => index + 1);
  return (
    <Mono>
      {ends.map((end, at) => (
        <Fragment key={end}>
          {name.slice(ends[at - 1] ?? 0, end)}
          <wbr />
        </Fragment>
      ))}
    </Mono>
  );
}
