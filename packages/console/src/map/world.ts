/** The map of the world that scripts/build-world.ts makes, and the figures that are shown on it: pure. */
import { countText } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';

/** The map, in units of which `width` go from edge to edge. Countries are named by the two letters of ISO 3166. */
export interface World {
  readonly width: number;
  readonly height: number;
  /** What is drawn of each country: the `d` of an SVG path. */
  readonly shapes: Readonly<Record<string, string>>;
  /** Countries too small to be seen as shapes: how far from the left and from the top they are. */
  readonly dots: Readonly<Record<string, readonly [number, number]>>;
  /** Land of which the data does not say whose it is. */
  readonly otherLand: string;
}

/** What is known of a country. */
export interface CountryFigures {
  /** Two letters, as in ISO 3166. */
  readonly code: string;
  readonly machines: number;
  readonly activations: number;
}

/** How many colours tell few machines from many. */
export const STEPS = 5;

/**
 * Which colour a country gets, from 1 to {@link STEPS}; 0 where there is no machine. Each step is so many times more than the
 * one before, because one country often has most of them.
 *
 * @param most the machines of the country that has most
 */
export function stepOf(machines: number, most: number): number {
  if (machines <= 0) return 0;
  if (most <= 1) return STEPS;
  return 1 + Math.min(STEPS - 1, Math.floor((Math.log(machines) / Math.log(most)) * (STEPS - 1) + 1e-9));
}

/** What is said of the whole map. */
export function mapSummary(countries: readonly CountryFigures[]): string {
  const [first, second] = countries;
  if (first === undefined) return 'No machine is known to have called from any country in this time.';
  const many = countries.length === 1 ? 'one country' : `${countText(countries.length)} countries`;
  const next = second === undefined ? '' : `, then from ${countryName(second.code)} (${countText(second.machines)})`;
  return `Machines called from ${many}: most from ${countryName(first.code)} (${countText(first.machines)})${next}.`;
}
