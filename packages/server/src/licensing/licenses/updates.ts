/** Builds that a license covers (rules 14.3). */
import Type from 'typebox';
import { nullable, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { License } from './license.ts';

/** The build of an app, compiled into it. */
export const buildFields = {
  buildDate: Type.Optional(
    timestamp('When the build was made; compiled into the app. A day without a time is its first moment in UTC.'),
  ),
  version: Type.Optional({
    ...text('Version of the build: whole numbers with dots. Text after `-` or `+` is ignored.', 100),
    pattern: '^\\d{1,9}(\\.\\d{1,9}){0,9}([-+][\\x21-\\x7e]*)?$',
    errorText: 'must be a version of whole numbers with dots, such as 2.3.1 or 2.0.0-beta',
  }),
};

/** The further fields of the refusal of a build. */
export const uncoveredFields = Type.Object({
  updatesUntil: nullable(timestamp('Until when released builds are covered; null covers all.')),
  maxVersion: nullable(Type.String({ description: 'Newest covered version; null covers all.' })),
});

/** The build of a call; undefined where the app does not say. */
export interface Build {
  readonly buildDate?: string | undefined;
  readonly version?: string | undefined;
}

/** Whether a call names its build. */
export function namesBuild({ buildDate, version }: Build): boolean {
  return buildDate !== undefined || version !== undefined;
}

/** The refusal of a build that the license does not cover; null if it does, or if the call names no build. */
export function refusalForBuild(
  { updatesUntil, terms: { maxVersion } }: Pick<License, 'updatesUntil' | 'terms'>,
  { buildDate, version }: Build,
): Refusal<'update_not_covered'> | null {
  const isTooNew = buildDate !== undefined && updatesUntil !== null && buildDate > updatesUntil;
  const isTooHigh = version !== undefined && maxVersion !== null && !coversVersion(maxVersion, version);
  if (!isTooNew && !isTooHigh) return null;
  return refuse('update_not_covered', {
    details: namedBuild({ buildDate, version }),
    extra: { updatesUntil, maxVersion },
  });
}

/** The fields of a build that a call names. */
export function namedBuild({ buildDate, version }: Build) {
  return { ...(buildDate === undefined ? {} : { buildDate }), ...(version === undefined ? {} : { version }) };
}

/** Whether a version is at most the newest covered one: `2` covers 2 and 2.x, `2.3` covers up to 2.3.x. */
export function coversVersion(maxVersion: string, version: string): boolean {
  const limit = maxVersion.split('.').map(Number);
  const parts = version.split(/[-+]/)[0]!.split('.').map(Number);
  for (const [index, most] of limit.entries()) {
    const part = parts[index] ?? 0;
    if (part !== most) return part < most;
  }
  return true;
}
