/** Features as people read and type them, a line each: `export = yes`, `layers = 10`, `tier = pro`. Pure. */
import { dayText } from '../parts/time-words.ts';

type FeatureValue = boolean | number | string;

/** The features of a variant. */
export type Features = Readonly<Record<string, FeatureValue>>;

/** The features of a license itself: also values with an end, and null for one that is taken away. */
export type OwnFeatures = Readonly<
  Record<string, FeatureValue | null | { readonly value: FeatureValue; readonly until: string }>
>;

/** The words for a feature that the license takes away. */
const TAKEN = 'none';

/** The value of a feature in a table: `Yes`, `10`, `pro`. */
export function featureText(value: FeatureValue): string {
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value);
}

/** The value of a license's own feature in a table, with its end. */
export function ownFeatureText(value: OwnFeatures[string]): string {
  if (value === null) return 'Taken away';
  if (typeof value !== 'object') return featureText(value);
  return `${featureText(value.value)} until ${dayText(value.until)}`;
}

/** A form that {@link featuresIn} reads back. */
function typedValue(value: FeatureValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  return typeof readValue(value) === 'string' && !/ until \S+$/.test(value) && value !== TAKEN ? value : `"${value}"`;
}

/** Features as lines of text; '' for none. */
export function linesOf(features: OwnFeatures | null | undefined): string {
  return Object.entries(features ?? {})
    .map(([name, value]) => {
      if (value === null) return `${name} = ${TAKEN}`;
      if (typeof value !== 'object') return `${name} = ${typedValue(value)}`;
      return `${name} = ${typedValue(value.value)} until ${value.until}`;
    })
    .join('\n');
}

function readValue(text: string): FeatureValue {
  if (text === 'yes' || text === 'true') return true;
  if (text === 'no' || text === 'false') return false;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return /^".+"$/.test(text) ? text.slice(1, -1) : text;
}

/** The lines of a text as names and typed values; undefined if a line has another form or a name comes twice. */
function entriesIn(text: string): readonly (readonly [name: string, typed: string])[] | undefined {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const entries = lines.map((line) => /^([a-z][a-z0-9_.-]{0,39})\s*=\s*(\S.*)$/.exec(line));
  const read = entries.flatMap((entry) => (entry === null ? [] : [[entry[1] ?? '', entry[2] ?? ''] as const]));
  const areNamedOnce = new Set(read.map(([name]) => name)).size === lines.length;
  return read.length === lines.length && areNamedOnce ? read : undefined;
}

/** The features of a variant in a text; null if it is empty, undefined if it is not understood. */
export function featuresIn(text: string): Features | null | undefined {
  const entries = entriesIn(text);
  if (entries === undefined || entries.length === 0) return entries && null;
  return Object.fromEntries(entries.map(([name, typed]) => [name, readValue(typed)]));
}

/** The features of a license itself in a text; null if it is empty, undefined if it is not understood. */
export function ownFeaturesIn(text: string): OwnFeatures | null | undefined {
  const entries = entriesIn(text);
  if (entries === undefined || entries.length === 0) return entries && null;
  return Object.fromEntries(
    entries.map(([name, typed]) => {
      if (typed === TAKEN) return [name, null];
      const [, value, until] = /^(.+) until ([^\s"]+)$/.exec(typed) ?? [];
      return [name, value === undefined || until === undefined ? readValue(typed) : { value: readValue(value), until }];
    }),
  );
}

/** The form of a line, below the field. */
export const FEATURES_HINT = 'A line for each: export = yes, layers = 10, tier = pro.';
/** The form of a line of a license, below the field. */
export const OWN_FEATURES_HINT =
  'A line for each, laid over those of the variant: export = yes, layers = 10 until 2027-01-31, or export = none, which takes it away.';
/** The fault of a text that is not understood. */
export const FEATURES_FAULT =
  'A name in small letters, an equals sign and a value in each line, and each name once: layers = 10.';
