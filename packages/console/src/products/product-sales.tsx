/** Licenses of a product in figures, each of which leads to the list behind it. */
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { useRead } from '../api/reads.ts';
import { LinkButton } from '../parts/button.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';

/** Figures of the licenses of a product. */
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
  const figure = (count: number | undefined, filter: string) => {
    if (!isCounted) return null;
    if (count === undefined) return <Skeleton width="64px" />;
    return <a href={`${all}&${filter}`}>{count.toLocaleString()}</a>;
  };
  const points = issued.data?.series[0]?.points;
  return (
    <Section
      title="Licenses"
      hint={
        !isCounted ? (
          'By status they are counted a minute after the service has started.'
        ) : totals !== undefined ? (
          <>
            Counted <Time at={totals.asOf} />.
          </>
        ) : undefined
      }
      actions={<LinkButton href={all}>All licenses</LinkButton>}
    >
      <Facts
        facts={[
          { title: 'Active', value: figure(totals?.active, 'status=active') },
          { title: 'Expired', value: figure(totals?.expired, 'status=expired') },
          { title: 'Revoked', value: figure(totals?.revoked, 'status=revoked') },
          {
            title: 'Issued in the last 30 days',
            value:
              points === undefined ? (
                <Skeleton width="64px" />
              ) : (
                points.reduce((sum, { value }) => sum + value, 0).toLocaleString()
              ),
          },
          {
            title: 'Expire within 30 days',
            value:
              expiringSoon === undefined ? (
                <Skeleton width="64px" />
              ) : (
                <a href={`${all}&view=expiring-30`}>
                  {`${expiringSoon.isAtLeast ? 'At least ' : ''}${expiringSoon.count.toLocaleString()}`}
                </a>
              ),
          },
        ]}
      />
    </Section>
  );
}
