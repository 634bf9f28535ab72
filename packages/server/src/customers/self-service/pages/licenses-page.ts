/** The licenses of a customer. */

import type { LicenseCard, Usage } from '../shapes.ts';
import { tokenHtml } from './fields.ts';
import { addressOf, type Content, dayHtml, noticeHtml, textsOf, type View } from './frame.ts';
import { type Html, html, nameHtml } from './html.ts';

/** GET /my/licenses. */
export interface LicensesPage {
  readonly licenses: readonly LicenseCard[];
  readonly nextCursor: string | null;
  /** The token of the form that e-mails the keys; null if the service sends no e-mail. */
  readonly sendKeysToken: string | null;
  readonly news: 'keysSent' | 'keysSentLately' | null;
  readonly email: string;
}

export function licensesPage(view: View, page: LicensesPage): Content {
  const texts = textsOf(view).licenses;
  const { licenses, nextCursor, sendKeysToken, news, email } = page;
  return {
    title: texts.title,
    main: html`${news !== null && noticeHtml('good', texts[news])}<h1>${texts.title}</h1>
${licenses.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="list">${licenses.map((each) => cardHtml(view, each))}</ul>`}
${nextCursor !== null && html`<p><a href="${addressOf('/my/licenses', { after: nextCursor })}">${texts.more}</a></p>`}
${
  licenses.length > 0 &&
  sendKeysToken !== null &&
  html`<form class="actions" method="post" action="/my/send-keys">${tokenHtml(sendKeysToken)}<button>${texts.sendKeys(nameHtml(email))}</button></form>`
}`,
  };
}

function cardHtml(view: View, license: LicenseCard): Html {
  const texts = textsOf(view);
  const product = productHtml(license);
  return html`<li>
<h2>${product}</h2>
${factsHtml(view, license)}
<p><a class="button" href="${addressOf('/my/license', { l: license.ref })}">${texts.licenses.open(product)}</a></p>
</li>`;
}

/** The product of a license, and its variant. */
export function productHtml({ productName, variantName }: LicenseCard): Html {
  return html`${nameHtml(productName)}${variantName !== null && html`, ${nameHtml(variantName)}`}`;
}

/**
 * Status, end, updates, computers, meters and key of a license. The page of a revoked one lists no computers, so none
 * are counted.
 */
export function factsHtml(view: View, license: LicenseCard, usage: readonly Usage[] = []): Html {
  const texts = textsOf(view).license;
  const { status, expiresAt, beginsLater, updatesUntil, used, places, floating, licenseKey } = license;
  const withoutDay = beginsLater ? texts.beginsLater : texts.neverEnds;
  const end = expiresAt === null ? withoutDay : dayHtml(view, expiresAt);
  const row = (title: Html | string, value: Html | string) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  const state = html`<span class="status${status !== 'active' && ' off'}">${texts.statuses[status]}</span>`;
  return html`<dl class="facts">
${row(texts.status, state)}
${row(status === 'expired' ? texts.ended : texts.ends, end)}
${updatesUntil !== null && row(texts.updates, dayHtml(view, updatesUntil))}
${status !== 'revoked' && row(texts.slots, texts.slotsUsed(used, places, floating))}
${usage.map((each) => row(nameHtml(each.meter), usageHtml(view, each)))}
${row(texts.key, keyHtml(texts.showKey, licenseKey))}
</dl>`;
}

/** A key that one press shows. Paper takes no press, so a printed page shows it at once. */
function keyHtml(show: string, licenseKey: string): Html {
  const key = html`<code class="key">${licenseKey}</code>`;
  return html`<details><summary>${show}</summary>${key}</details><div class="printed">${key}</div>`;
}

/** The usage of a meter: `990 of 1000 until 1 February 2027`. */
function usageHtml(view: View, { used, limit, resetsAt }: Usage): Html {
  const texts = textsOf(view).license;
  return html`${texts.slotsUsed(used, limit, false)}${resetsAt !== null && texts.until(dayHtml(view, resetsAt))}`;
}
