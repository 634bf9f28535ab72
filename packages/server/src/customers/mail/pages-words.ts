/** The paragraph of e-mails about licenses that leads to the pages at /my (rules 13.1). */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';

const LEADING: Readonly<Record<MailLanguage, string>> = {
  en: 'You find your licenses, keys and computers at',
  de: 'Ihre Lizenzen, Schlüssel und Computer finden Sie unter',
  fr: 'Vous trouvez vos licences, vos clés et vos ordinateurs sur',
  es: 'Encontrará sus licencias, sus claves y sus ordenadores en',
};

/**
 * The paragraph with the address of the pages that show the license; none without such pages. The address ends it, so
 * that no mail program takes a full stop for a part of the link.
 *
 * @param creatorId the owner of the product; null: the operator
 */
export function pagesParagraphs(
  language: MailLanguage,
  creatorId: string | null,
  { selfService }: Pick<Settings, 'selfService'>,
): readonly string[] {
  // In the mode `shops` the pages of no shop show no license.
  if (selfService === null || (creatorId === null && selfService.mode === 'shops')) return [];
  const shop = creatorId === null ? '' : `?shop=${encodeURIComponent(creatorId)}`;
  return [`${LEADING[language]} ${selfService.publicUrl}/my${shop}`];
}
