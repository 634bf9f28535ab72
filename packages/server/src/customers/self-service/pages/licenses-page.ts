/** The licenses of a customer. */

import { LINK_KINDS } from '../../brand/product-links.ts';
import type { LicenseCard, Usage } from '../shapes.ts';
import { tokenHtml } from './fields.ts';
import { addressOf, type Content, dayHtml, noticeHtml, textsOf, type View } from './frame.ts';
import { type Html, html, nameHtml } from './html.ts';
import type { Texts } from './texts/en.ts';

/** GET /my/licenses. */
export interface LicensesPage {
  readonly licenses: readonly LicenseCard[];
  readonly nextCursor: string | null;
  /** The token of the form that e-mails the keys; null if the service sends no e-mail. */
  readonly sendKeysToken: string | null;
  readonly news: 'keysSent' | 'keysSentLately' | 'noNewKey' | null;
  readonly email: string;
}

export function licensesPage(view: View, page: LicensesPage): Content {
  const texts = textsOf(view).licenses;
  const { licenses, nextCursor, sendKeysToken, news, email } = page;
  return {
    title: texts.title,
    copies: true,
    main: html`${news !== null && newsHtml(view, news)}<h1>${texts.title}</h1>
${licenses.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="cards">${licenses.map((each) => cardHtml(view, each))}</ul>`}
${nextCursor !== null && html`<p><a href="${addressOf('/my/licenses', { after: nextCursor })}">${texts.more}</a></p>`}
${
  licenses.length > 0 &&
  sendKeysToken !== null &&
  html`<form class="actions" method="post" action="/my/send-keys">${tokenHtml(sendKeysToken)}<button>${texts.sendKeys(nameHtml(email))}</button></form>`
}`,
  };
}

function newsHtml(view: View, news: NonNullable<LicensesPage['news']>): Html {
  const { licenses, newKey } = textsOf(view);
  return news === 'noNewKey' ? noticeHtml('bad', newKey.refused) : noticeHtml('good', licenses[news]);
}

function cardHtml(view: View, license: LicenseCard): Html {
  const texts = textsOf(view);
  const product = productHtml(license);
  return html`<li class="card">
<div class="title"><h2>${product}</h2>${stateHtml(view, license)}</div>
${factsHtml(view, license)}
<p class="links"><a class="button" href="${addressOf('/my/license', { l: license.ref })}">${texts.licenses.open(product)}</a>${linksHtml(view, license)}</p>
</li>`;
}

/** The product of a license, and its variant. */
export function productHtml({ productName, variantName }: LicenseCard): Html {
  return html`${nameHtml(productName)}${variantName !== null && html`, ${nameHtml(variantName)}`}`;
}

/** The status of a license, and that it is a trial. */
export function stateHtml(view: View, { status, isTrial }: LicenseCard): Html {
  const texts = textsOf(view).license;
  const trial = isTrial && html`<span class="tag">${texts.trial}</span>`;
  return html`<p class="state">${trial}<span class="status${status !== 'active' && ' off'}">${texts.statuses[status]}</span></p>`;
}

/** The shop's links of the product. A withdrawn license leads to its receipt only. */
export function linksHtml(view: View, { links, status }: LicenseCard): Html {
  const texts = textsOf(view).license.links;
  const shown = LINK_KINDS.filter((kind) => links[kind] !== null && (status !== 'revoked' || kind === 'receipt'));
  return html`${shown.map((kind) => html`<a class="button" href="${links[kind]}" rel="noopener">${texts[kind]}</a>`)}`;
}

/**
 * Purchase, end, updates, computers, meters and key of a license. The page of a revoked one lists no computers, so none
 * are counted.
 *
 * @param isKeyShown whether the key is shown before a press
 */
export function factsHtml(view: View, license: LicenseCard, usage: readonly Usage[] = [], isKeyShown = false): Html {
  const texts = textsOf(view).license;
  const { status, boughtAt, isBought, expiresAt, beginsLater, updatesUntil, used, places, floating, licenseKey } =
    license;
  const withoutDay = beginsLater ? texts.beginsLater : texts.neverEnds;
  const end = expiresAt === null ? withoutDay : dayHtml(view, expiresAt);
  const row = (title: Html | string, value: Html | string) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  const taken = html`${texts.slotsUsed(used, places, floating)}${places !== null && gaugeHtml(used, places)}`;
  return html`<dl class="facts">
${row(isBought ? texts.bought : texts.issued, dayHtml(view, boughtAt))}
${row(status === 'expired' ? texts.ended : texts.ends, end)}
${updatesUntil !== null && row(texts.updates, dayHtml(view, updatesUntil))}
${status !== 'revoked' && row(texts.slots, taken)}
${usage.map((each) => row(nameHtml(each.meter), usageHtml(view, each)))}
${row(texts.key, keyHtml(texts, licenseKey, isKeyShown))}
</dl>`;
}

/** A part of a whole as a bar. The words beside it say the same. */
function gaugeHtml(used: number, of: number): Html {
  return html`<progress class="gauge" aria-hidden="true" value="${Math.min(used, of)}" max="${of}"></progress>`;
}

/**
 * A key that one press shows, and another one copies. Paper takes no press, so a printed page shows it at once. The
 * button is hidden until the script of the page runs.
 */
function keyHtml({ showKey, copyKey, copied }: Texts['license'], licenseKey: string, isShown: boolean): Html {
  const key = html`<code class="key">${licenseKey}</code>`;
  const button = html`<button type="button" class="small" hidden data-copy="${licenseKey}" data-copied="${copied}">${copyKey}</button>`;
  return html`<details${isShown && html` open`}><summary>${showKey}</summary>${key}${button}</details><div class="printed">${key}</div>`;
}

/** The usage of a meter: `990 of 1000 until 1 February 2027`. */
function usageHtml(view: View, { used, limit, resetsAt }: Usage): Html {
  const texts = textsOf(view).license;
  return html`${texts.slotsUsed(used, limit, false)}${resetsAt !== null && texts.until(dayHtml(view, resetsAt))}${limit !== null && gaugeHtml(used, limit)}`;
}
