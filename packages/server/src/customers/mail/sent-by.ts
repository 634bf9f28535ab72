/** The sender of an e-mail: the brand in whose name it leaves. */
import type { MailText } from '../../platform/endpoint/mail-kind.ts';
import { type Brand, OPERATOR } from '../brand/brand.ts';
import { oneLine } from './layout.ts';

/** The head of an e-mail in the name of a brand, which gets the replies; null: without a brand. */
export function sentBy(brand: Brand | null): Pick<MailText, 'replyTo' | 'fromName' | 'isOfCreator'> {
  return {
    replyTo: brand?.supportAddress ?? null,
    fromName: brand === null ? null : oneLine(brand.name),
    isOfCreator: brand !== null && brand.creatorId !== OPERATOR,
  };
}
