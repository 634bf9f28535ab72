/** The sales over time: licenses that were bought, renewed, refunded and tried, by product and variant. */
import { ProductFilter } from '../actions/product-filter.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { GetSalesReply } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { Page } from '../parts/page.tsx';
import { RangeChoice } from '../parts/range-choice.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { SalesCharts } from './charts.tsx';
import { SALES_RANGES, type SalesRange, salesBeginning, salesRangeOf } from './range.ts';
import { SalesTable } from './sales-table.tsx';
import { SalesTiles } from './tiles.tsx';
import { isNothing } from './words.ts';

const EVERY_SECONDS = 60;
/** The figures lag behind by a minute; after more than this, something is counted for the first time. */
const LATE_MS = 5 * 60_000;

export function Screen() {
  const filters = useFilters(['days', 'product']);
  const { days, product } = filters.values;
  const range = salesRangeOf(days);
  const now = useNow();
  const request = { step: range.step, from: salesBeginning(range, now), ...given({ productId: product }) };
  const sales = useRead('/getSales', request, { everySeconds: EVERY_SECONDS });
  return (
    <Page
      title="Sales"
      subtitle="Licenses that were bought, renewed, refunded and tried, counted from their recorded changes."
      actions={
        <>
          <ProductFilter value={product} onChange={(chosen) => filters.set({ product: chosen })} />
          <RangeChoice ranges={SALES_RANGES} value={range} onChange={(chosen) => filters.set({ days: chosen.id })} />
        </>
      }
    >
      {readNotice(sales)}
      {sales.data === undefined ? (
        sales.error === null && <Loading what="sales" lines={12} />
      ) : (
        <Sales sales={sales.data} range={range} product={product} now={now} />
      )}
    </Page>
  );
}

interface SalesProps {
  readonly sales: GetSalesReply;
  readonly range: SalesRange;
  /** '' for all products. */
  readonly product: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function Sales({ sales, range, product, now }: SalesProps) {
  const mayIssue = useCan('/createLicense');
  const isLate = now - Date.parse(sales.completeTo) > LATE_MS;
  if (isNothing(sales.totals) && isNothing(sales.before))
    return (
      <Empty
        title={product === '' ? 'Nothing was sold in this time.' : 'Nothing of this product was sold in this time.'}
        actions={mayIssue && <LinkButton href="#/licenses">Go to the licenses</LinkButton>}
      >
        A purchase, a renewal, a refund or a trial is here a minute later. Imported licenses are not counted: another
        service sold them.
      </Empty>
    );
  return (
    <>
      {isLate && (
        <Notice title="The history is being counted.">
          These figures are complete up to <Time at={sales.completeTo} />.
        </Notice>
      )}
      <SalesTiles sales={sales} range={range} />
      <SalesCharts sales={sales} range={range} product={product} />
      <SalesTable sales={sales} range={range} />
    </>
  );
}
