import type { GetOverviewReply } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { NEEDS_YOU } from '../api/needs-you.ts';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { Spark } from '../charts/spark.tsx';
import { countText } from '../parts/count-words.ts';
import { useNow } from '../parts/now.ts';
import { Status } from '../parts/status.tsx';
import { Tile, Tiles } from '../parts/tile.tsx';
import { Time } from '../parts/time.tsx';
import { beginningOf, rangeOf } from './range.ts';
import { refusalSeries, refusalsAddress } from './refusal-groups.ts';
import type { Traffic } from './traffic.ts';
import { compareWithWeek, endedCountText, refusalsOf, severitiesOf } from './words.ts';

export interface OverviewTilesProps {
  /** The last 24 hours; undefined while loading. */
  readonly day: GetOverviewReply | undefined;
  /** The last 7 days. */
  readonly week: GetOverviewReply | undefined;
  readonly traffic: Traffic | undefined;
  /** '' for all products. */
  readonly product: string;
}

/** The key figures, each a link to its list. */
export function OverviewTiles({ day, week, traffic, product }: OverviewTilesProps) {
  const { can } = useSession();
  const now = useNow();
  const of = (screen: string, filters: Readonly<Record<string, string>>, needs: string) => {
    const search = new URLSearchParams(product === '' ? filters : { ...filters, product }).toString();
    return can.includes(needs) ? `#/${screen}${search === '' ? '' : `?${search}`}` : undefined;
  };
  // The same request as in the navigation, so both show the same number.
  const asked = { ...NEEDS_YOU, limit: 1, withTotal: true, ...given({ productId: product }) };
  const needsYou = useRead('/listViolations', asked, {
    ...{ everySeconds: 60, later: true, enabled: can.includes('/listViolations') },
  }).data?.total;
  const licenses = (filters: Readonly<Record<string, string>>) => of('licenses', filters, '/listLicenses');
  const violations = (filters: Readonly<Record<string, string>>) =>
    of('violations', { state: 'open', ...filters }, '/listViolations');
  return (
    <Tiles>
      <Tile
        title="Active licenses"
        figure={day && figureOf(day.totals?.active)}
        href={licenses({ status: 'active' })}
        below={day && <Totals totals={day.totals} hrefOf={(status) => licenses({ status })} />}
      />
      <Tile
        title="Expire within 30 days"
        figure={day && endedCountText(day.expiringSoon.count, day.expiringSoon.isAtLeast)}
        href={licenses({ view: 'expiring-30' })}
        below="Active licenses, the soonest first."
      />
      <Tile
        title="Violations that need you"
        figure={needsYou && endedCountText(needsYou.count, needsYou.isAtLeast)}
        href={of('violations', {}, '/listViolations')}
        below={day && <Severities overview={day} hrefOf={(severity) => violations({ severity })} />}
      />
      <Tile
        title="Live seats"
        figure={day && figureOf(day.liveSessions?.count)}
        href={of('seats', {}, '/listLiveSessions')}
        below={day && (day.liveSessions === null ? NOT_COUNTED : <AsOf at={day.liveSessions.asOf} />)}
      />
      <Tile
        title="Refusals in 24 hours"
        figure={day && countText(refusalsOf(day))}
        href={can.includes('/listRefusals') ? refusalsAddress({ product, since: beginningOf(DAY, now) }) : undefined}
        below={day && week && <Week day={day} week={week} traffic={traffic} />}
      />
    </Tiles>
  );
}

/** The hours of the figure: the present one and the 23 before it. */
const DAY = rangeOf('1');

const NOT_COUNTED = 'Counted a minute after the start.';

function figureOf(count: number | undefined): string {
  return count === undefined ? '–' : countText(count);
}

function AsOf({ at }: { readonly at: string }) {
  return (
    <>
      {'Counted '}
      <Time at={at} as="past" />.
    </>
  );
}

function Totals({
  totals,
  hrefOf,
}: {
  readonly totals: GetOverviewReply['totals'];
  readonly hrefOf: (status: string) => string | undefined;
}) {
  if (totals === null) return NOT_COUNTED;
  return (
    <>
      <a href={hrefOf('expired')}>{countText(totals.expired)} expired</a>
      {', '}
      <a href={hrefOf('revoked')}>{countText(totals.revoked)} revoked</a>
    </>
  );
}

function Severities({
  overview,
  hrefOf,
}: {
  readonly overview: GetOverviewReply;
  readonly hrefOf: (severity: string) => string | undefined;
}) {
  const severities = severitiesOf(overview);
  if (severities.length === 0) return 'Nothing needs attention.';
  return (
    <>
      {'All open, with refunds: '}
      {severities.map(({ severity, text }, index) => (
        <span key={severity}>
          {index > 0 && ', '}
          <a href={hrefOf(String(severity))}>{text}</a>
        </span>
      ))}
    </>
  );
}

interface WeekProps {
  readonly day: GetOverviewReply;
  readonly week: GetOverviewReply;
  readonly traffic: Traffic | undefined;
}

function Week({ day, week, traffic }: WeekProps) {
  const { text, isUnusual } = compareWithWeek(refusalsOf(day), refusalsOf(week));
  const bars = traffic?.valuesOf('activate.machine_limit').length ?? 0;
  const series = traffic === undefined ? [] : refusalSeries(bars, traffic.valuesOf);
  const sums = Array.from({ length: bars }, (_, bar) =>
    series.reduce((sum, { values }) => sum + (values[bar] ?? 0), 0),
  );
  return (
    <>
      {isUnusual && (
        <div>
          <Status tone="warn">More than usual</Status>
        </div>
      )}
      {text}
      {sums.some((sum) => sum > 0) && <Spark values={sums} label={`Refusals over ${traffic?.range.title}`} />}
    </>
  );
}
