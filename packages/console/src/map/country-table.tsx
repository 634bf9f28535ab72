import { useState } from 'react';
import { countText } from '../parts/count-words.ts';
import { countryName, isCountry } from '../parts/country-words.ts';
import unseen from '../parts/unseen.module.css';
import styles from './map.module.css';
import type { CountryFigures } from './world.ts';

/** Number of countries before "show all". */
const FIRST = 8;

interface CountryTableProps {
  readonly countries: readonly CountryFigures[];
  /** Title of the last column. */
  readonly further: string;
  /** The address of the licenses that were used from a country. */
  readonly hrefOf: (code: string) => string;
  /** The country under the pointer on the map. */
  readonly pointed: string | null;
  readonly onPoint: (code: string | null) => void;
}

/** The figures of the map as a list. */
export function CountryTable({ countries, further, hrefOf, pointed, onPoint }: CountryTableProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? countries : countries.slice(0, FIRST);
  if (countries.length === 0)
    return <p className={styles.none}>No machine called from a known country in this time.</p>;
  return (
    <div className={styles.list}>
      <table>
        <caption className={unseen.unseen}>Machines by country</caption>
        <thead>
          <tr>
            <th scope="col">Country</th>
            <th scope="col">Machines</th>
            <th scope="col">{further}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ code, machines, further }) => (
            <tr
              key={code}
              data-pointed={pointed === code}
              onPointerEnter={() => onPoint(code)}
              onPointerLeave={() => onPoint(null)}
            >
              <th scope="row">
                {isCountry(code) ? (
                  <a href={hrefOf(code)} title={`Licenses used from ${countryName(code)}`}>
                    {countryName(code)}
                  </a>
                ) : (
                  code
                )}
              </th>
              <td>{countText(machines)}</td>
              <td>{countText(further)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {countries.length > FIRST && (
        <button type="button" className={styles.more} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer countries' : `Show all ${countries.length} countries`}
        </button>
      )}
    </div>
  );
}
