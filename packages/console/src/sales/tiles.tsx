import type { GetSalesReply, SaleFigures } from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';
import { Tile, Tiles } from '../parts/tile.tsx';
import type { SalesRange } from './range.ts';
import { SaleSpark } from './sale-spark.tsx';
import { comparedText, shareText, wentBack } from './words.ts';

/** The key figures of a period, each against the period before. */
export function SalesTiles({ sales, range }: { readonly sales: GetSalesReply; readonly range: SalesRange }) {
  const { totals, before, points } = sales;
  const tile = (title: string, metric: keyof SaleFigures, further: string | null = null) => (
    <Tile
      title={title}
      figure={countText(totals[metric])}
      href={undefined}
      below={
        <>
          {further !== null && `${further} `}
          {comparedText(totals[metric], before[metric], range.before)}
          <SaleSpark values={points[metric]} label={`${title} over ${range.title}`} />
        </>
      }
    />
  );
  const back = wentBack(totals);
  return (
    <Tiles>
      {tile('Bought', 'purchased', otherwiseIssued(totals))}
      {tile('Renewed', 'renewed')}
      {tile('Trials begun', 'trialsStarted')}
      {tile(
        'Trials that were bought',
        'trialsConverted',
        shareOf(totals.trialsConverted, totals.trialsStarted, 'trials begun'),
      )}
      <Tile
        title="Money went back"
        figure={countText(back)}
        href={undefined}
        below={[
          ...(totals.refunded > 0 ? [`${counted(totals.refunded, 'refund')}.`] : []),
          ...(totals.chargedBack > 0 ? [`${counted(totals.chargedBack, 'chargeback')}.`] : []),
          ...(totals.partlyRefunded > 0 ? [`${counted(totals.partlyRefunded, 'partial refund')} besides.`] : []),
          ...(totals.reinstated > 0 ? [`${countText(totals.reinstated)} reinstated.`] : []),
          shareOf(back, totals.purchased, 'licenses bought') ?? '',
          comparedText(back, wentBack(before), range.before),
        ].join(' ')}
      />
    </Tiles>
  );
}

/** "25% of the trials begun."; null for none. */
function shareOf(part: number, whole: number, what: string): string | null {
  const share = part === 0 ? null : shareText(part, whole);
  return share && `${share} of the ${what}.`;
}

/** "3 more without a purchase."; null if there are none. */
function otherwiseIssued({ issued, purchased }: SaleFigures): string | null {
  return issued > purchased ? `${countText(issued - purchased)} more issued without a purchase.` : null;
}
