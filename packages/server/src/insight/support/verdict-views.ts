/** The verdict in the reply of /explainLicense. */
import Type from 'typebox';
import { oneOf, resource } from '../../platform/endpoint/field-types.ts';

/** The verdicts, in the order in which their rules are tried. */
export const VERDICTS = [
  'replaced',
  'charged_back',
  'refunded',
  'fraud_reported',
  'revoked',
  'shared',
  'wrong_product',
  'other_license',
  'expired',
  'build_not_covered',
  'attempts_used_up',
  'no_seat',
  'no_user',
  'user_has_machines',
  'seats_in_use',
  'reinstalled',
  'dead_machine',
  'new_computer',
  'feature_not_included',
  'usage_used_up',
  'activate_again',
  'works',
] as const;
export type VerdictCode = (typeof VERDICTS)[number];

/** The kinds of a first step. */
export const FIRST_STEPS = ['review', 'decline', 'remedy', 'reply', 'none'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

const number = (description: string) => Type.Optional(Type.Integer({ description }));

export const verdictEvidenceSchema = resource(
  'VerdictEvidence',
  'The numbers that a verdict rests on; each where it has to do with it.',
  {
    limit: number('Number of slots, or of machines of a user.'),
    used: number('Slots that are taken, or machines of the user.'),
    idleDays: number('Full days since the machine in the way was seen, or the explained one.'),
    machines: number(
      'Different machines that were refused, as far as the open violation names them; it names 20 at most.',
    ),
    names: number('Different hostnames of these machines.'),
    withinHours: number('Hours from the first to the last of these refusals, rounded up.'),
    refusals: number('Refused calls.'),
    countries: number('Countries that machines of the license called from within the last day, where known.'),
    attempts: number('Attempts to activate in the last hour, 15 at most.'),
    reports: number('Open violations of this kind.'),
    daysSince: number('Full days since the last report, or since the expiry.'),
    otherLicenses: number('Other active licenses of the customer for the product; counting ends at 20.'),
  },
);

export const verdictSchema = resource('Verdict', 'What the case looks like. It states nothing beyond the evidence.', {
  code: oneOf('The case.', VERDICTS, 'VerdictCode'),
  sentence: Type.String({ description: 'The evidence in words, for support. Not for customers.' }),
  evidence: verdictEvidenceSchema,
  firstStep: oneOf(
    'The first thing to do: `review` the violations and the history, `decline`, take the first `remedy` of the first ' +
      'refused call, `reply` to the customer, or `none`.',
    FIRST_STEPS,
    'FirstStep',
  ),
});
