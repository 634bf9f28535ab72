import { useSession } from '../api/session.ts';
import { Bars } from '../charts/bars.tsx';
import { Line } from '../charts/line.tsx';
import type { Series } from '../charts/series.ts';
import { rangeBetween } from '../parts/day-range.ts';
import styles from './overview.module.css';
import { binsOf } from './range.ts';
import { refusalSeries, refusalsAddress } from './refusal-groups.ts';
import { CHECKS, type Traffic } from './traffic.ts';

export interface ChartsProps {
  readonly traffic: Traffic;
  /** Whether these are the previous figures, shown while others load. */
  readonly isFormer: boolean;
  readonly product: string;
}

/** The activity of apps over time: new machines, refusals by reason, checks. */
export function Charts({ traffic, isFormer, product }: ChartsProps) {
  const { can } = useSession();
  const { range, from, valuesOf } = traffic;
  const bins = binsOf(range, from);
  const activity = (since: string, until: string) => {
    const days = rangeBetween(since, until);
    const filters = { kind: 'activation.created', days, ...(product === '' ? {} : { product }) };
    return `#/activity?${new URLSearchParams(filters)}`;
  };
  const linked = can.includes('/listEvents') ? binsOf(range, from, activity) : bins;
  const machines: Series = {
    id: 'machines',
    label: 'New machines',
    tone: 'accent',
    values: valuesOf('activation.created'),
    ...(can.includes('/listEvents') ? { href: '#/activity?kind=activation.created' } : {}),
  };
  const canList = can.includes('/listRefusals');
  const refusals = refusalSeries(
    bins.length,
    valuesOf,
    canList ? (codes) => refusalsAddress({ codes, product, since: from }) : undefined,
  );
  const refusedIn = (since: string, until: string) => refusalsAddress({ product, since, until });
  const none: Series = { id: 'none', label: 'None', tone: 'neutral', values: bins.map(() => 0) };
  const checks = CHECKS.map(valuesOf);
  const checked: Series = {
    id: 'checks',
    label: 'Answered checks',
    tone: 'accent',
    values: bins.map((_, bar) => checks.reduce((sum, values) => sum + (values[bar] ?? 0), 0)),
  };
  return (
    <div className={styles.charts} aria-busy={isFormer}>
      <Bars title="New machines" what="new machines" when={range.when} bins={linked} series={[machines]} />
      <Bars
        title="Refusals by reason"
        what="refusals"
        when={range.when}
        bins={canList ? binsOf(range, from, refusedIn) : bins}
        series={refusals.length === 0 ? [none] : refusals}
      />
      <div className={styles.wide}>
        <Line title="Checks by apps" what="checks" when={range.when} bins={bins} series={[checked]} height={160} />
      </div>
    </div>
  );
}
