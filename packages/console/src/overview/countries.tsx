import { readNotice } from '../actions/refusal-notice.tsx';
import { late } from '../api/late.tsx';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { Mono } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Section } from '../parts/section.tsx';
import { MachinesByProduct } from './machines-by-product.tsx';
import styles from './overview.module.css';
import { DrawingPlace } from './place.tsx';
import { beginningOf, daily, type Range } from './range.ts';

const WorldMap = late(async () => (await import('../map/world-map.tsx')).WorldMap, {
  loading: <DrawingPlace what="countries" blocks="map" />,
  failed: () => <p className={styles.nothing}>The map was not loaded. Reload the page to see it.</p>,
});

export interface CountriesProps {
  readonly range: Range;
  readonly product: string;
  /** The country of the chart over time; '' for all countries. */
  readonly country: string;
  readonly onCountry: (code: string) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The locations of machines. The map loads on demand, because its shapes are as large as a whole screen. */
export function Countries({ range, product, country, onCountry, now }: CountriesProps) {
  const { service, kind } = useSession();
  const days = daily(range);
  const from = beginningOf(days, now);
  const read = useRead(
    '/getCountries',
    { from, ...(product === '' ? {} : { productId: product }) },
    { everySeconds: 300, keepPrevious: true, later: true },
  );
  const countries = read.data?.countries ?? [];
  // The service limits the number of days for all products together; this is the only way the request can be invalid.
  const isTooLong = read.error?.code === 'invalid_field';
  return (
    <Section
      title="Where machines are"
      hint="Machines seen on the busiest day of this period, and machines newly activated in it."
    >
      {isTooLong && (
        <p className={styles.nothing}>
          With this many products, such a long time is shown for one product only. Choose a product above, or a shorter
          time.
        </p>
      )}
      {!isTooLong && readNotice(read)}
      {read.data === undefined && read.error === null && <DrawingPlace what="countries" blocks="map" />}
      {read.data !== undefined && countries.length === 0 && !service.countriesKnown && (
        <Empty title="The service does not know countries yet.">
          {kind === 'operator' ? (
            <>
              Give it a file of addresses (<Mono>LATCHKEY_GEOIP_FILE</Mono>) or name the header in which your proxy says
              the country (<Mono>LATCHKEY_COUNTRY_HEADER</Mono>). Machines are on the map from their next call on.
            </>
          ) : (
            'The operator of the service can switch them on.'
          )}
        </Empty>
      )}
      {read.data !== undefined && (countries.length > 0 || service.countriesKnown) && (
        <WorldMap
          countries={countries.map(({ activations, ...each }) => ({ ...each, further: activations }))}
          further="New"
          product={product}
        />
      )}
      {/* A day alone is no course over time. */}
      {countries.length > 0 && days.steps > 1 && (
        <MachinesByProduct
          range={days}
          from={from}
          product={product}
          country={country}
          codes={countries.map(({ code }) => code)}
          onCountry={onCountry}
        />
      )}
    </Section>
  );
}
