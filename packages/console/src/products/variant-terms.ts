/** The terms of a variant beyond its limits: the typed texts, and the fields of a request made from them. Pure. */
import { seenName } from '../actions/undo.ts';
import type { QuantityRule, UpdateVariantRequest, Variant } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { countText } from '../parts/count-words.ts';
import { daysText } from '../parts/span-words.ts';
import { wholeNumber } from '../parts/whole-number.ts';
import { featuresIn, linesOf } from '../sentences/features.ts';
import { SEAT_RULES, type SeatRule, seatRuleOf } from '../sentences/seats.ts';

/** The fields of a variant that are terms. */
type TermFields = Pick<
  UpdateVariantRequest,
  | 'durationMonths'
  | 'durationStarts'
  | 'graceDays'
  | 'updatesDays'
  | 'maxVersion'
  | 'releaseIdleDays'
  | 'maxUsers'
  | 'maxMachinesPerUser'
  | 'usersFloat'
  | 'unlockedProducts'
  | 'quantity'
  | 'features'
>;

/** The typed texts; '' for a term that is not set. */
export interface TermsForm {
  readonly durationMonths: string;
  readonly durationStarts: '' | 'activation';
  readonly graceDays: string;
  readonly updatesDays: string;
  readonly maxVersion: string;
  readonly releaseIdleDays: string;
  readonly maxUsers: string;
  readonly maxMachinesPerUser: string;
  readonly usersFloat: SeatRule;
  /** Identifiers, divided by commas or spaces. */
  readonly unlockedProducts: string;
  readonly quantity: '' | QuantityRule;
  /** A line for each. */
  readonly features: string;
}

export const NO_TERMS: TermsForm = {
  durationMonths: '',
  durationStarts: '',
  graceDays: '',
  updatesDays: '',
  maxVersion: '',
  releaseIdleDays: '',
  maxUsers: '',
  maxMachinesPerUser: '',
  usersFloat: '',
  unlockedProducts: '',
  quantity: '',
  features: '',
};

/** The smallest number of each counted term. */
const SMALLEST = {
  ...{ durationMonths: 1, graceDays: 1, updatesDays: 1, releaseIdleDays: 1 },
  ...{ maxUsers: 1, maxMachinesPerUser: 1 },
} as const;
type Counted = keyof typeof SMALLEST;

const typed = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value));

/** The form of an existing variant. */
export function termsFormOf(variant: Variant): TermsForm {
  return {
    durationMonths: typed(variant.durationMonths),
    durationStarts: variant.durationStarts === 'activation' ? 'activation' : '',
    graceDays: typed(variant.graceDays),
    updatesDays: typed(variant.updatesDays),
    maxVersion: variant.maxVersion ?? '',
    releaseIdleDays: typed(variant.releaseIdleDays),
    maxUsers: typed(variant.maxUsers),
    maxMachinesPerUser: typed(variant.maxMachinesPerUser),
    usersFloat: seatRuleOf(variant),
    unlockedProducts: (variant.unlockedProducts ?? []).join(', '),
    quantity: variant.quantity ?? '',
    features: linesOf(variant.features),
  };
}

/** A field with a value that the service does not accept. */
export type TermFault = Counted | 'features';

/** The invalid fields; empty if the form can be sent. */
export function termFaultsOf(form: TermsForm): ReadonlySet<TermFault> {
  const faults = new Set<TermFault>();
  for (const field of Object.keys(SMALLEST) as Counted[])
    if (wholeNumber(form[field], SMALLEST[field]) === undefined) faults.add(field);
  if (featuresIn(form.features) === undefined) faults.add('features');
  return faults;
}

/** The terms of a form; null for each that is not set. */
function valuesOf(form: TermsForm): TermFields {
  const number = (field: Counted) => wholeNumber(form[field], SMALLEST[field]) ?? null;
  const products = form.unlockedProducts.split(/[\s,]+/).filter((each) => each !== '');
  return {
    durationMonths: number('durationMonths'),
    durationStarts: form.durationStarts || null,
    graceDays: number('graceDays'),
    updatesDays: number('updatesDays'),
    maxVersion: form.maxVersion.trim() || null,
    releaseIdleDays: number('releaseIdleDays'),
    maxUsers: number('maxUsers'),
    maxMachinesPerUser: number('maxMachinesPerUser'),
    usersFloat: form.usersFloat === '' ? null : true,
    unlockedProducts: products.length === 0 ? null : products,
    quantity: form.quantity || null,
    features: featuresIn(form.features) ?? null,
  };
}

/** The terms of a new variant: those that are set. */
export function givenTerms(form: TermsForm) {
  return given(valuesOf(form));
}

/** The request that changes the differing terms of a variant; null without a difference or with an invalid field. */
export function termsRequest(variant: Variant, form: TermsForm): UpdateVariantRequest | null {
  if (termFaultsOf(form).size > 0) return null;
  const [before, after] = [valuesOf(termsFormOf(variant)), valuesOf(form)];
  const differing = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof TermFields]),
  );
  if (differing.length === 0) return null;
  const { variantId, productId } = variant;
  // A license lasts days or months.
  const instead =
    typeof after.durationMonths === 'number' && variant.durationDays !== null ? { durationDays: null } : {};
  const changes: Partial<UpdateVariantRequest> = { ...Object.fromEntries(differing), ...instead };
  const stored: Readonly<Record<string, unknown>> = { ...variant };
  const seen = Object.keys(changes).map((field) => [seenName(field), stored[field] ?? null]);
  return { variantId, productId, ...changes, ...Object.fromEntries(seen) };
}

/** The words for one variant, term by term; only those that are set. */
export function termTexts(variant: Partial<Variant>): readonly (readonly [what: string, text: string])[] {
  const { graceDays, updatesDays, maxVersion, releaseIdleDays, unlockedProducts, quantity, features } = variant;
  const { maxUsers, maxMachinesPerUser, durationStarts } = variant;
  const texts: readonly (readonly [string, string | null])[] = [
    ['Time begins', durationStarts === 'activation' ? START_WORDS.activation : null],
    ['Grace', graceDays ? daysText(graceDays) : null],
    ['Updates', updatesDays ? daysText(updatesDays) : null],
    ['Newest version', maxVersion ?? null],
    ['Idle machines make room after', releaseIdleDays ? daysText(releaseIdleDays) : null],
    ['Users', maxUsers ? countText(maxUsers) : null],
    ['Machines of a user', maxMachinesPerUser ? countText(maxMachinesPerUser) : null],
    ['Seats', maxUsers ? SEAT_RULES[seatRuleOf(variant)] : null],
    ['Also opens', unlockedProducts?.length ? unlockedProducts.join(', ') : null],
    ['Copies', quantity ? QUANTITY_WORDS[quantity] : null],
    ['Features', features ? countText(Object.keys(features).length) : null],
  ];
  return texts.flatMap(([what, text]) => (text === null ? [] : [[what, text] as const]));
}

/** The choices for the beginning of the time of a license. */
export const START_WORDS: Readonly<Record<TermsForm['durationStarts'], string>> = {
  '': 'When the license is issued',
  activation: 'With the first activation',
};

/** The choices for several copies in one sale. */
export const QUANTITY_WORDS: Readonly<Record<QuantityRule, string>> = {
  licenses: 'A license for each',
  scale: 'One license with higher limits',
};
