/** The form of a code: the typed texts, and the request made from them. */
import type { CreateDiscountCodeRequest, DiscountCode, UpdateDiscountCodeRequest } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { endsDay, lastMomentOf } from '../parts/time-words.ts';
import { wholeNumber } from '../parts/whole-number.ts';

/** The values of the fields. */
export interface CodeForm {
  /** The product of the code; '' for all products of its owner. */
  readonly product: string;
  /** The owner of a code without a product; '' for none. Also '' for creators, who own their codes automatically. */
  readonly creator: string;
  readonly days: string;
  readonly uses: string;
  /** The last valid day, as a date field gives it; '' for no end. */
  readonly until: string;
}

export const NEW_CODE: CodeForm = { product: '', creator: '', days: '14', uses: '', until: '' };

/** The request that creates a code; null while a field is invalid or a required one is empty. */
export function createRequest(code: string, form: CodeForm): CreateDiscountCodeRequest | null {
  const [days, uses] = [wholeNumber(form.days), wholeNumber(form.uses)];
  if (code.trim() === '' || days === null || days === undefined || uses === undefined) return null;
  return {
    code: code.trim(),
    trialDays: days,
    // A code for one product belongs to the owner of that product.
    ...given(form.product === '' ? { creatorId: form.creator.trim() } : { productId: form.product }),
    ...given({ maxUses: uses, expiresAt: form.until && lastMomentOf(form.until) }),
  };
}

/** The request that changes maximum uses and expiry; null if nothing would change. */
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
    ...(uses === code.maxUses ? {} : { maxUses: uses, wasMaxUses: code.maxUses }),
    ...(isSameEnd
      ? {}
      : { expiresAt: form.until === '' ? null : lastMomentOf(form.until), wasExpiresAt: code.expiresAt }),
  };
}

/** The fields of an existing code. */
export function formOf(code: DiscountCode): Pick<CodeForm, 'uses' | 'until'> {
  return {
    uses: code.maxUses === null ? '' : String(code.maxUses),
    until: code.expiresAt === null ? '' : dayOf(code.expiresAt),
  };
}

/** The day of a time, as a date field takes it: the day that it ends, or that in the reader's time zone. */
function dayOf(at: string): string {
  if (endsDay(at)) return at.slice(0, 10);
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
