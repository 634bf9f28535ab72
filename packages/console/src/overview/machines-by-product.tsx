import { readNotice } from '../actions/refusal-notice.tsx';
import { given } from '../api/given.ts';
import { useRead } from '../api/reads.ts';
import { Line } from '../charts/line.tsx';
import { countryName } from '../parts/country-words.ts';
import { SelectField } from '../parts/field.tsx';
import { LOCALE } from '../parts/locale.ts';
import styles from './overview.module.css';
import { DrawingPlace } from './place.tsx';
import { productSeries } from './product-series.ts';
import { binsOf, type Range } from './range.ts';

interface MachinesByProductProps {
  /** In days. */
  readonly range: Range;
  /** The beginning of the range, as ISO 8601. */
  readonly from: string;
  readonly product: string;
  /** '' for all countries. */
  readonly country: string;
  /** The countries with figures. */
  readonly codes: readonly string[];
  readonly onCountry: (code: string) => void;
}

/** The machines of each product over time, in all known countries or in one. */
export function MachinesByProduct({ range, from, product, country, codes, onCountry }: MachinesByProductProps) {
  const read = useRead(
    '/getCountries',
    { from, overTime: true, ...given({ productId: product, country }) },
    { everySeconds: 300, keepPrevious: true, later: true },
  );
  // Figures by product are limited to fewer days than figures by country.
  if (read.error?.code === 'invalid_field')
    return (
      <p className={styles.nothing}>
        Machines over time are shown for one product only, because there are many. Choose a product above, or a shorter
        time.
      </p>
    );
  if (read.data === undefined) return readNotice(read) ?? <DrawingPlace what="machines by product" blocks="line" />;
  const shown = [...new Set([...codes, ...(country === '' ? [] : [country])])]
    .map((value) => ({ value, title: countryName(value) }))
    .sort((one, other) => one.title.localeCompare(other.title, LOCALE));
  return (
    <div className={styles.overTime} aria-busy={read.isPlaceholderData}>
      <Line
        title="Machines by product"
        what="machines"
        totals="highest"
        when={range.when}
        bins={binsOf(range, from)}
        series={productSeries(range, read.data.products ?? [])}
        height={160}
        beside={
          <SelectField
            label="Country"
            hideLabel
            value={country}
            onChange={onCountry}
            options={[{ value: '', title: 'All countries' }, ...shown]}
          />
        }
      />
    </div>
  );
}
