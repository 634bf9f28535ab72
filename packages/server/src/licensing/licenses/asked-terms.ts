/** The terms that a call asks for: the build of its app, and features (rules 14.2, 14.3). */
import type { License } from './license.ts';
import { refusalForFeatures, type WithTerms } from './terms.ts';
import { type Build, refusalForBuild } from './updates.ts';

/** The terms that a call names; undefined where it says nothing. */
export interface AskedTerms extends Build {
  readonly features?: readonly string[] | undefined;
}

/** The refusal of a call by the terms of a license, checked last: its build, then its features. Null if both fit. */
export function refusalForTerms(
  license: WithTerms & Pick<License, 'updatesUntil' | 'terms'>,
  asked: AskedTerms,
  now: number,
) {
  return refusalForBuild(license, asked) ?? refusalForFeatures(license, asked.features, now);
}
