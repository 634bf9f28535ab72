import type { GetSalesReply, SaleFigures } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { Bars } from '../charts/bars.tsx';
import { Line } from '../charts/line.tsx';
import type { Series, Tone } from '../charts/series.ts';
import { rangeBetween } from '../parts/day-range.ts';
import { type SalesRange, salesBins } from './range.ts';
import styles from './sales.module.css';

export interface SalesChartsProps {
  readonly sales: GetSalesReply;
  readonly range: SalesRange;
  /** '' for all products. */
  readonly product: string;
}

/** Sales over time. Without trials there is no chart of them. */
export function SalesCharts({ sales, range, product }: SalesChartsProps) {
  const { steps, points, totals, before } = sales;
  const seesActivity = useCan('/listEvents');
  const valuesOf = (metric: keyof SaleFigures) => points[metric] ?? steps.map(() => 0);
  const series = (id: keyof SaleFigures, label: string, tone: Tone): Series => ({
    ...{ id, label, tone, values: valuesOf(id) },
  });
  const binsOf = (kind: string) =>
    salesBins(
      range,
      steps,
      seesActivity ? (since, until) => activity({ kind, product, days: rangeBetween(since, until) }) : undefined,
    );
  const bought = valuesOf('purchased');
  const withoutPurchase: Series = {
    ...{ id: 'issued', label: 'Issued without a purchase', tone: 'neutral' },
    values: valuesOf('issued').map((value, step) => value - (bought[step] ?? 0)),
  };
  const hasTrials = totals.trialsStarted + totals.trialsConverted + before.trialsStarted > 0;
  return (
    <div className={styles.charts}>
      <Bars
        title="New and renewed licenses"
        what="licenses"
        when={range.when}
        bins={binsOf('license.created')}
        series={[
          series('purchased', 'Bought', 'accent'),
          series('renewed', 'Renewed', 'accent-soft'),
          ...(totals.issued > totals.purchased ? [withoutPurchase] : []),
        ]}
      />
      <Bars
        title="Money went back"
        what="licenses"
        when={range.when}
        bins={binsOf('license.revoked')}
        series={[series('refunded', 'Refunded', 'warn'), series('chargedBack', 'Charged back', 'danger')]}
      />
      {hasTrials && (
        <div className={styles.wide}>
          <Line
            title="Trials"
            what="trials"
            when={range.when}
            bins={salesBins(range, steps)}
            series={[series('trialsStarted', 'Begun', 'neutral'), series('trialsConverted', 'Bought', 'accent')]}
            height={160}
          />
        </div>
      )}
    </div>
  );
}

function activity(filters: Readonly<Record<string, string>>): string {
  const set = Object.entries(filters).filter(([, value]) => value !== '');
  return `#/activity?${new URLSearchParams(set)}`;
}
