/** The question before a computer is freed, with the effect on the budget. */

import type { CustomerReply, Device, LicenseCard, SeatHolder } from '../shapes.ts';
import { hiddenHtml, tokenHtml } from './fields.ts';
import { addressOf, type Content, noticeHtml, textsOf, type View } from './frame.ts';
import { html, nameHtml } from './html.ts';
import { deviceName } from './license-page.ts';

/** GET /my/release. */
export interface ReleasePage {
  readonly license: LicenseCard;
  readonly device: Device;
  readonly budget: CustomerReply<'getMyLicense'>['budget'];
  readonly token: string;
}

/** GET /my/release-user. */
export interface ReleaseUserPage {
  readonly license: LicenseCard;
  readonly user: SeatHolder;
  readonly budget: CustomerReply<'getMyLicense'>['budget'];
  readonly token: string;
}

export function releaseUserPage(view: View, { license, user, budget, token }: ReleaseUserPage): Content {
  const texts = textsOf(view);
  const { release, users } = texts;
  return {
    title: users.releaseTitle,
    main: html`<h1>${users.question(nameHtml(user.name))}</h1>
<p>${users.effect}</p>
<p>${user.release === 'free' ? release.costsNothing : release.counts(budget.left, budget.of)}</p>
<form class="actions" method="post" action="/my/release-user">
${tokenHtml(token)}${hiddenHtml({ l: license.ref, u: user.ref })}
<button class="main">${users.button}</button>
<a class="button" href="${addressOf('/my/license', { l: license.ref })}">${texts.cancel}</a>
</form>`,
  };
}

export function releasePage(view: View, { license, device, budget, token }: ReleasePage): Content {
  const texts = textsOf(view);
  const { release } = texts;
  const cost = device.release === 'free' ? release.costsNothing : release.counts(budget.left, budget.of);
  return {
    title: release.title,
    main: html`<h1>${release.question(deviceName(view, device))}</h1>
${device.running && noticeHtml('plain', release.running)}
<p>${release.effect}</p>
<p>${cost}</p>
<form class="actions" method="post" action="/my/release">
${tokenHtml(token)}${hiddenHtml({ l: license.ref, d: device.ref })}
<button class="main">${release.button}</button>
<a class="button" href="${addressOf('/my/license', { l: license.ref })}">${texts.cancel}</a>
</form>`,
  };
}
