import { type MouseEvent, type PointerEvent, useState } from 'react';
import { countryName } from '../parts/country-words.ts';
import { CountryTable } from './country-table.tsx';
import styles from './map.module.css';
import worldData from './world.json';
import { type CountryFigures, mapSummary, STEPS, stepOf, type World } from './world.ts';

const world = worldData as unknown as World;

const SCALE = Array.from({ length: STEPS }, (_, index) => index + 1);

/** The pointer's position on the map, in pixels from the left and upper edge. */
interface Pointed {
  readonly code: string;
  readonly left: number;
  readonly top: number;
}

interface WorldMapProps {
  /** The largest first. */
  readonly countries: readonly CountryFigures[];
  /** Title of the last column of the list. */
  readonly further: string;
  /** The product of the licenses that a country leads to; '' for all products. */
  readonly product?: string;
}

/** The countries that machines call from: a map, and the same figures as a list. A country leads to its licenses. */
export function WorldMap({ countries, further, product = '' }: WorldMapProps) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const most = Math.max(0, ...countries.map(({ machines }) => machines));
  const figures = new Map(countries.map((country) => [country.code, country]));
  const step = (code: string) => stepOf(figures.get(code)?.machines ?? 0, most);
  const hrefOf = (code: string) =>
    `#/licenses?${new URLSearchParams({ country: code, ...(product === '' ? {} : { product }) })}`;
  const open = ({ target }: MouseEvent<SVGSVGElement>) => {
    const code = target instanceof SVGElement ? target.dataset.code : undefined;
    if (code !== undefined && figures.has(code)) location.hash = hrefOf(code);
  };
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const code = event.target instanceof SVGElement ? event.target.dataset.code : undefined;
    const box = event.currentTarget.getBoundingClientRect();
    setPointed(code === undefined ? null : { code, left: event.clientX - box.left, top: event.clientY - box.top });
  };
  return (
    <div className={styles.beside}>
      <div className={styles.map}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list has the same links for the keyboard */}
        <svg
          viewBox={`0 0 ${world.width} ${world.height}`}
          role="img"
          aria-label={mapSummary(countries)}
          onClick={open}
          onPointerMove={point}
          onPointerLeave={() => setPointed(null)}
        >
          <path className={styles.land} d={world.otherLand} />
          {Object.entries(world.shapes).map(([code, shape]) => (
            <path
              key={code}
              className={styles.land}
              d={shape}
              data-code={code}
              data-step={step(code)}
              data-known={figures.has(code)}
              data-pointed={pointed?.code === code}
            />
          ))}
          {Object.entries(world.dots).map(([code, [x, y]]) => (
            <circle
              key={code}
              className={styles.dot}
              cx={x}
              cy={y}
              r={step(code) === 0 ? 2.5 : 6}
              data-code={code}
              data-step={step(code)}
              data-known={figures.has(code)}
              data-pointed={pointed?.code === code}
            />
          ))}
        </svg>
        {pointed !== null && <Label pointed={pointed} figures={figures.get(pointed.code)} />}
        <p className={styles.scale} aria-hidden="true">
          Fewer
          <svg viewBox="0 0 76 12" aria-hidden="true">
            {SCALE.map((each) => (
              <rect key={each} x={(each - 1) * 16} width="12" height="12" rx="3" data-step={each} />
            ))}
          </svg>
          more machines
        </p>
      </div>
      <CountryTable
        countries={countries}
        further={further}
        hrefOf={hrefOf}
        pointed={pointed?.code ?? null}
        onPoint={(code) => setPointed(code === null ? null : { code, left: -1, top: -1 })}
      />
    </div>
  );
}

/** The country under the pointer. The list gives the same figures to people who cannot see the map. */
function Label({ pointed, figures }: { readonly pointed: Pointed; readonly figures: CountryFigures | undefined }) {
  if (pointed.left < 0) return null;
  const machines = figures?.machines ?? 0;
  return (
    <p className={styles.label} aria-hidden="true" style={{ left: pointed.left, top: pointed.top }}>
      <strong>{countryName(pointed.code)}</strong>
      {machines === 0 ? 'No machines' : machines === 1 ? '1 machine' : `${machines} machines`}
    </p>
  );
}
