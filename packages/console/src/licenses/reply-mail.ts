/** The e-mail that a reply becomes: its subject, and the words about its sender. Pure. */
import type { Brand, MailLanguage } from '../api/contract.ts';

const SUBJECTS: Readonly<Record<MailLanguage, (product: string) => string>> = {
  en: (product) => `Your license for ${product}`,
  de: (product) => `Ihre Lizenz für ${product}`,
  fr: (product) => `Votre licence pour ${product}`,
  es: (product) => `Su licencia de ${product}`,
};

/** Length of a subject and of a text, as the service has them. */
export const LONGEST_SUBJECT = 200;
export const LONGEST_REPLY = 10_000;

/** The subject of a reply, unless its author writes another one. */
export function subjectOf(product: string, language: MailLanguage): string {
  return SUBJECTS[language](product).slice(0, LONGEST_SUBJECT);
}

/** The sender of e-mails about a product, in a sentence. @param brand null: the owner has none */
export function senderText(brand: Pick<Brand, 'name' | 'supportAddress'> | null): string {
  if (brand === null) return 'It leaves in the name of the service.';
  const answers = brand.supportAddress === null ? '' : `; answers go to ${brand.supportAddress}`;
  return `It leaves in the name of ${brand.name}${answers}.`;
}
