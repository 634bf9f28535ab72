import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { useRead } from '../api/reads.ts';
import { LinkButton } from '../parts/button.tsx';
import { countText } from '../parts/count-words.ts';
import { Facts, Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import styles from './product-screen.module.css';

/** The licenses of a product in figures, each a link to its list. */
export function ProductSales({ productId }: { readonly productId: string }) {
  const overview = useRead('/getOverview', { productId });
  const issued = useRead('/getStatistics', { metrics: ['license.created'], step: 'day', productId });
  const all = `#/licenses?product=${encodeURIComponent(productId)}`;
  if (overview.error !== null)
    return (
      <Section title="Licenses">
        <RefusalNotice refusal={overview.error} onRetry={() => void overview.refetch()} />
      </Section>
    );
  const { totals, expiringSoon } = overview.data ?? {};
  const isCounted = totals !== null;
  const issuedCount = issued.data?.series[0]?.points.reduce((sum, { value }) => sum + value, 0);
  return (
    <Section
      title="Licenses"
      hint={
        !isCounted ? (
          'By status they are counted a minute after the service has started.'
        ) : totals !== undefined ? (
          <>
            Counted <Time at={totals.asOf} as="past" />.
          </>
        ) : undefined
      }
      actions={<LinkButton href={all}>All licenses</LinkButton>}
    >
      <Facts
        facts={[
          ...(isCounted
            ? [
                { title: 'Active', value: <Figure count={totals?.active} href={`${all}&status=active`} /> },
                { title: 'Expired', value: <Figure count={totals?.expired} href={`${all}&status=expired`} /> },
                { title: 'Revoked', value: <Figure count={totals?.revoked} href={`${all}&status=revoked`} /> },
              ]
            : []),
          {
            title: 'Issued in the last 30 days',
            value: issued.error === null ? <Figure count={issuedCount} /> : null,
          },
          {
            title: 'Expire within 30 days',
            value: (
              <Figure
                count={expiringSoon?.count}
                isAtLeast={expiringSoon?.isAtLeast ?? false}
                href={`${all}&view=expiring-30`}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}

/** A figure that links to the counted items. */
function Figure({
  count,
  href,
  isAtLeast = false,
}: {
  /** Undefined while loading. */
  readonly count: number | undefined;
  readonly href?: string;
  /** Whether there are more than were counted. */
  readonly isAtLeast?: boolean;
}) {
  if (count === undefined) return <Skeleton width="64px" />;
  const text = `${isAtLeast ? 'At least ' : ''}${countText(count)}`;
  return <span className={styles.figure}>{href === undefined ? text : <a href={href}>{text}</a>}</span>;
}
