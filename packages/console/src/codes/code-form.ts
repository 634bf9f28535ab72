/** The form of a code: texts as they were typed, and what is sent of them. */
import type { CreateDiscountCodeRequest, DiscountCode, UpdateDiscountCodeRequest } from '../api/contract.ts';
import { endOfDay } from '../parts/time-words.ts';

/** What stands in the fields. */
export interface CodeForm {
  /** The product it is for; '' for all of its owner. */
  readonly product: string;
  /** Whose it is where it is for no product; '' for nobody's, and for creators, whose codes are their own. */
  readonly creator: string;
  readonly days: string;
  readonly uses: string;
  /** The last day on which it works, as a date field gives it; '' for no end. */
  readonly until: string;
}

/** An empty form. */
export const NEW_CODE: CodeForm = { product: '', creator: '', days: '14', uses: '', until: '' };

/** A whole number from 1 on; null for an empty field, undefined for anything else. */
export function wholeNumber(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** The request that makes a code; null while a field is wrong or empty that must not be. */
export function createRequest(code: string, form: CodeForm): CreateDiscountCodeRequest | null {
  const [days, uses] = [wholeNumber(form.days), wholeNumber(form.uses)];
  if (code.trim() === '' || days === null || days === undefined || uses === undefined) return null;
  return {
    code: code.trim(),
    trialDays: days,
    // A code for one product belongs to the owner of that product anyway.
    ...(form.product === '' ? ownerIn(form) : { productId: form.product }),
    ...(uses === null ? {} : { maxUses: uses }),
    ...(form.until === '' ? {} : { expiresAt: endOfDay(form.until) }),
  };
}

function ownerIn({ creator }: CodeForm): Pick<CreateDiscountCodeRequest, 'creatorId'> {
  return creator.trim() === '' ? {} : { creatorId: creator.trim() };
}

/** The request that changes how often and until when a code works; null where nothing would change. */
export function updateRequest(
  code: DiscountCode,
  form: Pick<CodeForm, 'uses' | 'until'>,
): UpdateDiscountCodeRequest | null {
  const uses = wholeNumber(form.uses);
  if (uses === undefined) return null;
  const before = formOf(code);
  const isSameEnd = form.until === before.until;
  if (uses === code.maxUses && isSameEnd) return null;
  return {
    code: code.code,
    ...(uses === code.maxUses ? {} : { maxUses: uses }),
    ...(isSameEnd ? {} : { expiresAt: form.until === '' ? null : endOfDay(form.until) }),
  };
}

/** The fields of a code that exists. */
export function formOf(code: DiscountCode): Pick<CodeForm, 'uses' | 'until'> {
  return {
    uses: code.maxUses === null ? '' : String(code.maxUses),
    until: code.expiresAt === null ? '' : dayOf(code.expiresAt),
  };
}

/** The day of a time in the reader's zone, as a date field takes it. */
function dayOf(at: string): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
