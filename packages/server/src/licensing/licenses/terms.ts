/**
 * The terms of a license (rules 14): those that were copied from its variant or given to it, and those of its variant,
 * read live. This is the one place that resolves them.
 */
import Type from 'typebox';
import { daysAfter, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { endTimestamp, nullable, timestamp } from '../../platform/endpoint/field-types.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Facts } from '../../platform/events/event.ts';
import {
  effectiveFeatures,
  type Features,
  featureNamesField,
  featureValueSchema,
  isRented,
  missingFeatures,
  type OwnFeatures,
  ownFeaturesField,
} from '../products/features.ts';
import { type OwnMeters, ownMetersField } from '../products/meters.ts';
import {
  type DurationStart,
  durationStartsField,
  nullableFields,
  optionalFields,
  setTerms,
  termFields,
  termsAfter,
  type VariantTerms,
} from '../products/terms.ts';
import { type License, type Period, unchangedPeriod } from './license.ts';
import { COPIED_TERMS, type LicenseTerms, NO_TERMS } from './own-terms.ts';
import { joinedLengths, lengthened, type Waiting, waitingField } from './waiting.ts';

/** A term that a license keeps for itself: copied from its variant, or given to it. */
const ownFields = {
  graceDays: termFields.graceDays,
  updatesUntil: endTimestamp('Until when released builds are covered; a day without a time is its end in UTC.'),
  maxVersion: termFields.maxVersion,
  releaseIdleDays: termFields.releaseIdleDays,
  maxUsers: termFields.maxUsers,
  maxMachinesPerUser: termFields.maxMachinesPerUser,
  usersFloat: termFields.usersFloat,
} as const;

/** The features of a license itself, as a field and a fact. */
const ownFeatures = ownFeaturesField(
  'Features of the license itself, laid over those of its variant: at most 50 names to true, false, a number, a text, ' +
    'null (takes the feature of the variant away), or `{"value": …, "until": "…"}` for one with an end.',
);

/** The limits of a license itself, as a field and a fact. */
const ownMeters = ownMetersField(
  'Limits of the license itself, laid over those of its variant: names of its meters to `{"limit": …}`.',
);

/** The terms of a new license as fields; those of the variant hold for what is not given. */
export const newLicenseTerms = optionalFields({
  ...ownFields,
  durationStarts: durationStartsField,
  features: ownFeatures,
  meters: ownMeters,
});

/** The terms of a license as fields of a change; null clears one. */
export const changedLicenseTerms = nullableFields({ ...ownFields, features: ownFeatures, meters: ownMeters });

/** The terms of a license as reply fields of staff. */
export const shownTerms = {
  ...nullableFields(ownFields),
  durationStarts: Type.Optional(
    nullable({ ...durationStartsField, description: '`activation` while its time waits for the first activation.' }),
  ),
  waiting: Type.Optional(nullable(waitingField)),
  features: Type.Optional(nullable(effectiveSchema('Features of the license at this moment by name.'))),
  ownFeatures: Type.Optional(nullable(ownFeatures)),
  meters: Type.Optional(nullable(ownMeters)),
};

/** The terms that a request may give to a license; undefined where it says nothing. */
export interface GivenTerms {
  readonly graceDays?: number | null | undefined;
  readonly updatesUntil?: string | null | undefined;
  readonly maxVersion?: string | null | undefined;
  readonly releaseIdleDays?: number | null | undefined;
  readonly maxUsers?: number | null | undefined;
  readonly maxMachinesPerUser?: number | null | undefined;
  readonly usersFloat?: boolean | null | undefined;
  readonly waiting?: Waiting | null | undefined;
  readonly features?: OwnFeatures | null | undefined;
  readonly meters?: OwnMeters | null | undefined;
}

/** The fields of a license that hold its own terms. */
export type OwnTerms = Pick<License, 'graceDays' | 'updatesUntil' | 'terms'>;

/** The own terms after a request: the given ones, and those of `before` for the rest. */
export function ownTermsAfter(before: OwnTerms, given: GivenTerms): OwnTerms {
  return {
    graceDays: given.graceDays === undefined ? before.graceDays : (given.graceDays ?? 0),
    updatesUntil: given.updatesUntil === undefined ? before.updatesUntil : given.updatesUntil,
    terms: withoutGivenEnd(termsAfter(before.terms, { ...given }), given),
  };
}

/** A given end of the updates wins over a length of them that waits. */
function withoutGivenEnd(terms: LicenseTerms, { updatesUntil }: GivenTerms): LicenseTerms {
  if (terms.waiting === null || updatesUntil === undefined) return terms;
  return { ...terms, waiting: joinedLengths(terms.waiting, null) };
}

/**
 * The own terms that a new license gets from its variant at a time in milliseconds.
 *
 * @param starts when its updates begin
 */
export function ownTermsOf(variant: VariantTerms, now: number, starts: DurationStart): OwnTerms {
  const { graceDays, updatesDays } = variant;
  const terms = termsAfter(NO_TERMS, Object.fromEntries(COPIED_TERMS.map((term) => [term, variant[term]])));
  const own = { graceDays: graceDays ?? 0, updatesUntil: null, terms };
  if (updatesDays === null) return own;
  return starts === 'issue'
    ? { ...own, updatesUntil: daysAfter(now, updatesDays) }
    : { ...own, terms: { ...terms, waiting: lengthened(null, { updates: { days: updatesDays } }) } };
}

/** The terms of a license as staff see them, null where it has none; `features` are those at `now`. */
export function termsView(license: OwnTerms & WithTerms, now: number) {
  const { features: own, ...terms } = license.terms;
  return {
    graceDays: license.graceDays === 0 ? null : license.graceDays,
    updatesUntil: license.updatesUntil,
    durationStarts: terms.waiting === null ? null : ('activation' as const),
    ...terms,
    features: featuresAt(license, now),
    ownFeatures: own,
  };
}

/** The terms of a license itself as facts of events: those that are set. `features` are its own. */
export function factsOfTerms({ graceDays, updatesUntil, terms }: OwnTerms): Facts {
  return setTerms({ graceDays: graceDays === 0 ? null : graceDays, updatesUntil, ...terms });
}

/** The fields of a license that decide its terms. */
export type WithTerms = Pick<License, 'terms' | 'variantTerms' | 'updatesUntil' | 'expiresAt' | 'graceDays'>;

/** The features of a license at a time in milliseconds; null without any. */
export function featuresAt(
  { terms, variantTerms }: Pick<WithTerms, 'terms' | 'variantTerms'>,
  now: number,
): Features | null {
  // Licenses without features of their own, which are nearly all, need no time.
  if (terms.features === null) return variantTerms.features;
  return effectiveFeatures(variantTerms.features, terms.features, toTimestamp(now));
}

/**
 * The period around `now` in which the reply of /verify for an active license does not change: its days, its grace, and
 * the ends of its rented features.
 */
export function unchangedReplyPeriod(license: WithTerms, now: number): Period {
  const period = unchangedPeriod(license.expiresAt, now);
  if (license.terms.features === null) return period;
  const ends = Object.values(license.terms.features).flatMap((value) =>
    isRented(value) ? [fromTimestamp(value.until)] : [],
  );
  const past = ends.filter((end) => end <= now);
  const coming = ends.filter((end) => end > now);
  return {
    from: past.length === 0 ? period.from : Math.max(period.from ?? -Infinity, ...past),
    until: coming.length === 0 ? period.until : Math.min(period.until ?? Infinity, ...coming),
  };
}

/** The terms in a license file: present where the license has them. Times are whole seconds since 1970. */
export interface TermsClaims {
  readonly features?: Features;
  /** The end of each feature of `features` that has one. */
  readonly featureEnds?: Readonly<Record<string, number>>;
  readonly updatesUntil?: number;
  readonly maxVersion?: string;
}

/** The terms of a license in a file that is made at a time in milliseconds. */
export function termsClaims(license: Omit<WithTerms, 'expiresAt' | 'graceDays'>, now: number): TermsClaims {
  const features = featuresAt(license, now);
  const ends = Object.entries(license.terms.features ?? {}).flatMap(([name, value]) =>
    isRented(value) && fromTimestamp(value.until) > now ? [[name, secondsOf(value.until)] as const] : [],
  );
  const { updatesUntil } = license;
  const { maxVersion } = license.terms;
  return {
    ...(features === null ? {} : { features }),
    ...(ends.length === 0 ? {} : { featureEnds: Object.fromEntries(ends) }),
    ...(updatesUntil === null ? {} : { updatesUntil: secondsOf(updatesUntil) }),
    ...(maxVersion === null ? {} : { maxVersion }),
  };
}

function secondsOf(time: string): number {
  return Math.floor(fromTimestamp(time) / 1000);
}

/** The end of the grace of a license that has expired and is still active; null for any other. */
export function graceUntilAt(
  { expiresAt, graceDays }: Pick<License, 'expiresAt' | 'graceDays'>,
  now: number,
): string | null {
  return graceDays === 0 || expiresAt === null || now < fromTimestamp(expiresAt)
    ? null
    : daysAfter(fromTimestamp(expiresAt), graceDays);
}

/** The features that a call may ask for. */
export const askedFeatures = Type.Optional(
  featureNamesField('Features that the license must include: 1 to 50 names. False, 0 and absent are missing.'),
);

/** The further fields of the refusal of a call that asks for features. */
export const missingFields = Type.Object({
  missing: Type.Array(Type.String(), { description: 'Features that the license lacks.' }),
});

/** Separates the names in the details of a kept refusal. */
export const MISSING_SEPARATOR = ', ';

/** The refusal of a call that asks for features that the license lacks; null if it lacks none. */
export function refusalForFeatures(
  license: WithTerms,
  asked: readonly string[] | undefined,
  now: number,
): Refusal<'feature_missing'> | null {
  if (asked === undefined) return null;
  const missing = missingFeatures(featuresAt(license, now), asked);
  return missing.length === 0
    ? null
    : refuse('feature_missing', { details: { missing: missing.join(MISSING_SEPARATOR) }, extra: { missing } });
}

/** The terms in replies of client endpoints: present where the license has them. */
export const termReplies = {
  features: Type.Optional(effectiveSchema('Features of the license by name; absent without any.')),
  graceUntil: Type.Optional(timestamp('Present from licenseExpiresAt on, while the grace keeps the license active.')),
  updatesUntil: Type.Optional(timestamp('Until when released builds are covered; absent if all are.')),
  maxVersion: Type.Optional(Type.String({ description: 'Newest covered version; absent if all are.' })),
};

function effectiveSchema(description: string) {
  return Type.Unsafe<Features>({
    type: 'object',
    additionalProperties: featureValueSchema,
    description,
  });
}

/** See {@link termReplies}. */
export interface TermsReply {
  readonly features?: Features;
  readonly graceUntil?: string;
  readonly updatesUntil?: string;
  readonly maxVersion?: string;
}

const NO_TERMS_REPLY: TermsReply = Object.freeze({});

/** The terms of a license in a reply at a time in milliseconds. */
export function termsReply(license: WithTerms, now: number): TermsReply {
  const features = featuresAt(license, now);
  const { updatesUntil } = license;
  const { maxVersion } = license.terms;
  const graceUntil = graceUntilAt(license, now);
  if (features === null && graceUntil === null && updatesUntil === null && maxVersion === null) return NO_TERMS_REPLY;
  return {
    ...(features === null ? {} : { features }),
    ...(graceUntil === null ? {} : { graceUntil }),
    ...(updatesUntil === null ? {} : { updatesUntil }),
    ...(maxVersion === null ? {} : { maxVersion }),
  };
}
