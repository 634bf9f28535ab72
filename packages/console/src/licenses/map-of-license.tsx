/** The countries that a license was used from, on a map with the numbers of its machines. */
import { readNotice } from '../actions/refusal-notice.tsx';
import type { License } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { WorldMap } from '../map/world-map.tsx';
import { countText } from '../parts/count-words.ts';
import { Empty } from '../parts/empty.tsx';
import { Loading } from '../parts/skeleton.tsx';
import styles from './licenses.module.css';

/** Machines that the service counts by country. */
const MAX_COUNTED = 1_000;

interface MapOfLicenseProps {
  readonly license: License;
  readonly activationCount: number;
}

export function MapOfLicense({ license, activationCount }: MapOfLicenseProps) {
  const read = useRead(
    '/getLicense',
    { licenseKey: license.key, activationLimit: 1, countries: true },
    { everySeconds: 60, keepPrevious: true },
  );
  const countries = read.data?.countries ?? [];
  return (
    <>
      {readNotice(read)}
      {read.data === undefined && read.error === null && <Loading what="the countries" lines={8} />}
      {read.data !== undefined && countries.length === 0 && (
        <Empty title="No country yet">
          A country appears here within a minute after a machine called from it, if the service knows the country.
        </Empty>
      )}
      {countries.length > 0 && (
        <>
          <div className={styles.toolbar}>
            <span className={styles.quiet}>
              Machines by the country of their last call. "Before" counts those that have called from there and moved
              on.
              {activationCount > MAX_COUNTED &&
                ` Only the first ${countText(MAX_COUNTED)} of ${countText(activationCount)} machines are counted.`}
            </span>
          </div>
          <WorldMap
            countries={countries.map(({ machinesBefore, ...each }) => ({ ...each, further: machinesBefore }))}
            further="Before"
          />
        </>
      )}
    </>
  );
}
