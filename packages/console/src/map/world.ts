/** The world map that scripts/build-world.ts makes, and its figures: pure. */
import { countText } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';

/** The map, `width` units wide. Countries are named by their ISO 3166 alpha-2 codes. */
export interface World {
  readonly width: number;
  readonly height: number;
  /** The `d` of each country's SVG path. */
  readonly shapes: Readonly<Record<string, string>>;
  /** The positions of countries too small for a shape: distance from the left and from the top. */
  readonly dots: Readonly<Record<string, readonly [number, number]>>;
  /** Land that the data assigns to no country. */
  readonly otherLand: string;
}

/** The figures of a country. */
export interface CountryFigures {
  /** ISO 3166 alpha-2. */
  readonly code: string;
  /** The figure that the map shows. */
  readonly machines: number;
  /** The last column of the list. */
  readonly further: number;
}

/** Number of colours. */
export const STEPS = 5;

/**
 * The colour of a country, from 1 to {@link STEPS}; 0 without machines. The steps are logarithmic, because one country
 * often has most of the machines.
 *
 * @param most the highest number of machines in a country
 */
export function stepOf(machines: number, most: number): number {
  if (machines <= 0) return 0;
  if (most <= 1) return STEPS;
  return 1 + Math.min(STEPS - 1, Math.floor((Math.log(machines) / Math.log(most)) * (STEPS - 1) + 1e-9));
}

/** The summary of the map. */
export function mapSummary(countries: readonly CountryFigures[]): string {
  const [first, second] = countries;
  if (first === undefined) return 'No machine is known to have called from any country in this time.';
  const many = countries.length === 1 ? 'one country' : `${countText(countries.length)} countries`;
  const next = second === undefined ? '' : `, then from ${countryName(second.code)} (${countText(second.machines)})`;
  return `Machines called from ${many}: most from ${countryName(first.code)} (${countText(first.machines)})${next}.`;
}
