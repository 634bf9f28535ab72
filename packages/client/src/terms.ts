/** The terms of a license for a build of the app: its features, and the builds that it covers. */
import type { LicenseFileClaims } from './license-file.ts';
import type { Features, FeatureValue } from './state.ts';
import { isFeature } from './stored-state.ts';

/** The build of the app, compiled into it. */
export interface Build {
  /** Milliseconds since 1970; null if the app does not say. */
  readonly date: number | null;
  /** Dotted whole numbers; null if the app does not say. */
  readonly version: string | null;
}

/** Terms as an answer, a license file or the stored facts state them. */
export interface Terms {
  readonly features: Features;
  /** The end of each feature that has one, in seconds since 1970. */
  readonly featureEnds: Readonly<Record<string, number>>;
  /** Milliseconds since 1970; null for no end. */
  readonly updatesUntil: number | null;
  readonly maxVersion: string | null;
}

/** Terms in the form of the facts. */
interface StatedTerms {
  readonly features: Features | null;
  readonly updatesUntil: string | null;
  readonly maxVersion: string | null;
}

export function termsOfFacts({ features, updatesUntil, maxVersion }: StatedTerms): Terms {
  const until = updatesUntil === null ? null : Date.parse(updatesUntil);
  return { features: features ?? {}, featureEnds: {}, updatesUntil: until, maxVersion };
}

/**
 * The terms in a genuine file. Those of another type count as absent, because a later service may have made the file.
 */
export function termsOfFile({ features, featureEnds, updatesUntil, maxVersion }: LicenseFileClaims): Terms {
  return {
    features: featuresIn(features) ?? {},
    featureEnds: Object.fromEntries(
      entriesIn(featureEnds).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1])),
    ),
    updatesUntil: Number.isSafeInteger(updatesUntil) ? (updatesUntil as number) * 1000 : null,
    maxVersion: typeof maxVersion === 'string' ? maxVersion : null,
  };
}

/** The features in an answer or a file, without those of another type than an app can read; null without any object. */
export function featuresIn(value: unknown): Features | null {
  if (!isRecord(value)) return null;
  return Object.fromEntries(entriesIn(value).filter((entry): entry is [string, FeatureValue] => isFeature(entry[1])));
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entriesIn(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

/** The value of a feature at this time, milliseconds since 1970; undefined if the license does not have it. */
export function featureOf({ features, featureEnds }: Terms, name: string, now: number): FeatureValue | undefined {
  if (!Object.hasOwn(features, name)) return undefined;
  const hasEnded = Object.hasOwn(featureEnds, name) && (featureEnds[name] as number) * 1000 <= now;
  return hasEnded ? undefined : features[name];
}

/** Whether the terms cover a build. A build of the very moment is covered. */
export function covers({ updatesUntil, maxVersion }: Terms, { date, version }: Build): boolean {
  if (updatesUntil !== null && date !== null && date > updatesUntil) return false;
  return maxVersion === null || version === null || !isAbove(version, maxVersion);
}

/** Whether a version is above a bound, of which only the given numbers count: 2.3.7 is not above 2.3. */
function isAbove(version: string, bound: string): boolean {
  const numbers = numbersOf(version);
  for (const [index, most] of numbersOf(bound).entries()) {
    const given = numbers[index] ?? 0;
    if (given !== most) return given > most;
  }
  return false;
}

function numbersOf(version: string): readonly number[] {
  const [dotted = ''] = version.split(/[-+]/);
  return dotted.split('.').map(Number);
}

/** Whether a text is a version: dotted whole numbers, and anything behind a hyphen or a plus. */
export function isVersion(text: string): boolean {
  return /^\d{1,15}(\.\d{1,15})*([-+].*)?$/.test(text);
}
