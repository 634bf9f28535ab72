import { type Catalogue, RESELLER_EMAIL } from './catalogue.ts';

/**
 * Different addresses of active licenses from all parts of the catalogue: as many as wanted, or up to a tenth fewer.
 * The reseller is left out, because its list of licenses is not that of a customer.
 */
export function emailsIn(catalogue: Catalogue, wanted: number): string[] {
  const step = Math.max(1, Math.floor((catalogue.size - catalogue.firstActive) / wanted));
  const emails: string[] = [];
  for (let number = catalogue.firstActive; number < catalogue.size && emails.length < wanted; ) {
    const { email } = catalogue.license(number);
    if (email !== RESELLER_EMAIL) emails.push(email);
    number += email === RESELLER_EMAIL ? 1 : step;
  }
  return emails;
}
