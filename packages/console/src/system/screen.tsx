/** The service itself, and who is signed in to its console. */
import { useSession } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Status } from '../parts/status.tsx';
import { useReadiness } from './readiness.ts';
import { Sessions } from './sessions.tsx';
import { engineText, READINESS_WORDS, spanText } from './words.ts';

/** The screen of the system, for owners. */
export function Screen() {
  const { service } = useSession();
  const readiness = useReadiness();
  return (
    <Page
      title="System"
      subtitle={
        readiness === undefined ? (
          <Skeleton width="80px" />
        ) : (
          <Status tone={READINESS_WORDS[readiness].tone}>{READINESS_WORDS[readiness].title}</Status>
        )
      }
      actions={
        <>
          <LinkButton href="/docs">Reference</LinkButton>
          <LinkButton href="/openapi.json">openapi.json</LinkButton>
        </>
      }
    >
      <Section title="Service">
        <Facts
          facts={[
            { title: 'Version', value: service.version },
            { title: 'Database', value: engineText(service.engine) },
            {
              title: 'Environment',
              value: service.label === null || service.label === '' ? 'No label' : service.label,
            },
            {
              title: 'Countries of machines',
              value: service.countriesKnown ? 'Known' : 'Not known, no source is set',
            },
            { title: 'Floating sessions end after', value: spanText(service.floatingTimeoutSeconds) },
            { title: 'Changes are kept for', value: spanText(service.eventRetentionSeconds) },
          ]}
        />
      </Section>
      <Sessions />
    </Page>
  );
}
