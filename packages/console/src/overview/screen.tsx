/** The first screen: the figures of the shop, each a link to its list. New installations get the first steps. */
import { useEffect } from 'react';
import { ProductFilter } from '../actions/product-filter.tsx';
import { RefusalNotice, readNotice } from '../actions/refusal-notice.tsx';
import { FIRST_LICENSES } from '../api/first-licenses.ts';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { RangeChoice } from '../parts/range-choice.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { Charts } from './charts.tsx';
import { Countries } from './countries.tsx';
import { FullestPools } from './fullest-pools.tsx';
import { NewestActivity } from './newest-activity.tsx';
import styles from './overview.module.css';
import { DrawingPlace } from './place.tsx';
import { RANGES, rangeOf } from './range.ts';
import { OverviewTiles } from './tiles.tsx';
import { useTraffic } from './traffic.ts';
import { areUnused, mayBeNew, namesOverview } from './words.ts';

const EVERY_SECONDS = 60;

export function Screen() {
  const filters = useFilters(['days', 'product', 'country', 'steps']);
  const { days, product, country, steps } = filters.values;
  const range = rangeOf(days);
  const ofProduct = product === '' ? {} : { productId: product };
  const isOperator = useSession().kind === 'operator';
  const now = useNow();
  const day = useRead('/getOverview', { days: 1, ...ofProduct }, { everySeconds: EVERY_SECONDS });
  const week = useRead('/getOverview', { days: 7, ...ofProduct }, { everySeconds: 5 * EVERY_SECONDS, later: true });
  const mayLeadToSteps = steps !== 'off' && product === '';
  const isPerhapsNew = mayLeadToSteps && day.data !== undefined && mayBeNew(day.data);
  const first = useRead('/listLicenses', FIRST_LICENSES, { enabled: isPerhapsNew });
  const isNew = isPerhapsNew && first.data !== undefined && areUnused(first.data.licenses, isOperator);
  const isUndecided = (mayLeadToSteps && day.isPending) || (isPerhapsNew && first.isPending);
  useEffect(() => {
    if (!isNew) return;
    // The address may name another screen already, whose file is still being loaded. Who turns back is led on.
    const lead = () => {
      if (namesOverview(location.hash)) location.replace('#/start');
    };
    lead();
    addEventListener('hashchange', lead);
    return () => removeEventListener('hashchange', lead);
  }, [isNew]);
  const { traffic, isFormer, error, retry } = useTraffic(range, product, now);
  // An overview in sight would give way to the first steps at once. All further reads wait for these two anyway.
  if (isUndecided || isNew)
    return (
      <Page title="Overview">
        <Loading what="the overview" lines={8} />
      </Page>
    );
  const productFilter = <ProductFilter value={product} onChange={(chosen) => filters.set({ product: chosen })} />;
  if (day.error !== null && day.data === undefined)
    return (
      <Page title="Overview" actions={productFilter}>
        <RefusalNotice refusal={day.error} onRetry={() => void day.refetch()} />
      </Page>
    );
  return (
    <Page
      title="Overview"
      actions={
        <>
          {productFilter}
          <RangeChoice ranges={RANGES} value={range} onChange={(chosen) => filters.set({ days: chosen.id })} />
        </>
      }
    >
      <OverviewTiles day={day.data} week={week.data} traffic={traffic} product={product} />
      {readNotice({ data: traffic, error, refetch: retry })}
      {traffic === undefined ? (
        <DrawingPlace what="figures" blocks="charts" />
      ) : (
        <Charts traffic={traffic} isFormer={isFormer} product={product} />
      )}
      <div className={styles.band}>
        <Countries
          range={range}
          product={product}
          country={country}
          onCountry={(chosen) => filters.set({ country: chosen })}
          now={now}
        />
      </div>
      <div className={styles.pair}>
        <div>
          <FullestPools pools={day.data?.fullestPools} isCounted={day.data?.totals !== null} />
        </div>
        <div>
          <NewestActivity events={day.data?.newestEvents} />
        </div>
      </div>
    </Page>
  );
}
