/** The two forms of an e-mail, plain text and plain HTML, made from the same parts. */
import { escaped } from '../../ground/base/html.ts';
import { holdsAddress, holdsHost } from '../../ground/base/link-like-name.ts';
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';

/** A paragraph of one or more lines, or a value on a line of its own that the reader copies, with its label. */
export type MailPart = string | { readonly label: string; readonly value: string };

/**
 * Returns the text and the HTML of an e-mail. The HTML has no images, links, styles or scripts, and every value in it
 * is escaped.
 */
export function layOut(
  language: MailLanguage,
  subject: string,
  parts: readonly MailPart[],
): { readonly subject: string; readonly text: string; readonly html: string } {
  const texts = parts.map((part) => (typeof part === 'string' ? part : `${part.label}\n    ${part.value}`));
  const elements = parts.map((part) =>
    typeof part === 'string'
      ? `<p>${escaped(part).replaceAll('\n', '<br>\n')}</p>`
      : `<p>${escaped(part.label)}<br><code>${escaped(part.value)}</code></p>`,
  );
  const head = `<meta charset="utf-8"><title>${escaped(subject)}</title>`;
  return {
    subject,
    text: `${texts.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="${language}"><head>${head}</head><body>\n${elements.join('\n')}\n</body></html>\n`,
  };
}

/** A name on one line, without control characters and marks that change the direction of text. */
export function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
}

/** The name of a variant; empty if readers of the e-mail would take it for an address or a link. */
export function shownVariant(variant: string): string {
  const name = oneLine(variant);
  return holdsAddress(name) || holdsHost(name) ? '' : name;
}

/** The label of a key: its product and its variant. */
export function labelOfKey(product: string, variant: string): string {
  return [product, shownVariant(variant)].filter((each) => each !== '').join(', ');
}
