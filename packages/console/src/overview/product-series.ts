/** The lines of the machines by product: pure. */
import type { ProductSeries } from '../api/contract.ts';
import type { Series, Tone } from '../charts/series.ts';
import { counted } from '../parts/count-words.ts';
import { barPeaks, type Range } from './range.ts';

/** The tones of products with a line of their own. Lines also differ by their dashes. */
const TONES: readonly Tone[] = ['accent', 'neutral', 'accent-soft'];
const OF_OTHERS: Tone = 'neutral-soft';

/** A line for each of the largest products, the largest first, and one for all others. */
export function productSeries(range: Range, products: readonly ProductSeries[]): readonly Series[] {
  const peak = ({ machines }: ProductSeries) => Math.max(0, ...machines);
  const ordered = [...products].filter((each) => peak(each) > 0).sort((one, other) => peak(other) - peak(one));
  const own = ordered.length > TONES.length + 1 ? ordered.slice(0, TONES.length) : ordered;
  const others = ordered.slice(own.length);
  return [
    ...own.map(({ productId, machines }, index) => ({
      id: productId,
      label: productId,
      tone: TONES[index] ?? OF_OTHERS,
      values: barPeaks(range, machines),
      href: `#/products/${encodeURIComponent(productId)}`,
    })),
    ...(others.length === 0
      ? []
      : [
          {
            id: 'others',
            label: counted(others.length, 'other product'),
            tone: OF_OTHERS,
            values: barPeaks(range, addedUp(others)),
          },
        ]),
  ];
}

function addedUp(products: readonly ProductSeries[]): readonly number[] {
  const days = Math.max(...products.map(({ machines }) => machines.length));
  return Array.from({ length: days }, (_, day) =>
    products.reduce((sum, { machines }) => sum + (machines[day] ?? 0), 0),
  );
}
