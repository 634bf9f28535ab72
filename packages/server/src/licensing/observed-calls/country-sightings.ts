/**
 * Holds in memory the countries that licenses were used from, until they are written together. A call writes none of
 * them, so its cost does not depend on how many countries a license was used from
 * ([decision 53](../../../../docs/contributors/decisions/0053-a-country-leads-to-its-licenses.md)).
 */

/** Maximum number of sightings in memory, about 100 bytes each. A dropped one returns with a call of a later day. */
const MAX_SIGHTINGS = 20_000;

/** A license that was used from a country. */
export interface CountrySighting {
  /** Two letters in upper case, as in ISO 3166. */
  readonly country: string;
  readonly licenseKey: string;
}

export class CountrySightings {
  readonly #most: number;
  /** By country and license key. */
  #sightings = new Map<string, CountrySighting>();

  /** @param most maximum number of sightings in memory; further ones are dropped */
  constructor(most = MAX_SIGHTINGS) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#sightings.size === 0;
  }

  /** Adds a sighting. */
  note(country: string, licenseKey: string): void {
    const name = country + licenseKey;
    if (this.#sightings.size < this.#most || this.#sightings.has(name))
      this.#sightings.set(name, { country, licenseKey });
  }

  /** Adds sightings of another thread, or sightings that could not be written. */
  add(sightings: readonly CountrySighting[]): void {
    for (const { country, licenseKey } of sightings) this.note(country, licenseKey);
  }

  /** Removes and returns the sightings, at most `limit`, each once. */
  take(limit: number = Number.POSITIVE_INFINITY): CountrySighting[] {
    const taken: CountrySighting[] = [];
    for (const [name, sighting] of this.#sightings) {
      if (taken.length === limit) break;
      taken.push(sighting);
      this.#sightings.delete(name);
    }
    return taken;
  }
}
