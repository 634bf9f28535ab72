/** One license: why a computer was refused, the computers, a file for one without a connection. */

import type { CustomerReply, Device, LicenseCard, SeatHolder, ShownRefusal } from '../shapes.ts';
import { areaHtml, hiddenHtml, tokenHtml } from './fields.ts';
import { addressOf, type Content, dayHtml, dayOrNull, noticeHtml, supportHtml, textsOf, type View } from './frame.ts';
import { type Html, html, nameHtml } from './html.ts';
import { factsHtml, linksHtml, productHtml, stateHtml } from './licenses-page.ts';
import { countryInWords } from './texts/languages.ts';

/** Outcomes of the previous step that the page of a license reports. */
export const LICENSE_NEWS = [
  ...['freed', 'gone', 'refused', 'released', 'notReleased'],
  ...['newKey', 'newKeyMailed', 'noNewKey'],
] as const;
export type LicenseNews = (typeof LICENSE_NEWS)[number];

/** The reason for a missing file; `nextAt` says when another one may be. */
export type FileError = 'missing' | 'notAccepted' | 'refused' | { readonly nextAt: string | null };

/** The form for a license file. */
export interface FileForm {
  readonly token: string;
  readonly request: string;
  readonly error: FileError | null;
}

/** GET /my/license. */
export interface LicensePage {
  readonly found: CustomerReply<'getMyLicense'>;
  readonly news: LicenseNews | null;
  /** Null if customers get no files here. */
  readonly file: FileForm | null;
}

type Found = CustomerReply<'getMyLicense'>;

export function licensePage(view: View, page: LicensePage): Content {
  const texts = textsOf(view);
  const { found, news, file } = page;
  const { license, usage, users, refusals } = found;
  const isKeyNew = news === 'newKey' || news === 'newKeyMailed';
  return {
    title: license.productName,
    copies: true,
    isRefused: file !== null && file.error !== null,
    main: html`${news !== null && newsHtml(view, news)}<div class="title"><h1>${productHtml(license)}</h1>${stateHtml(view, license)}</div>
${endHtml(view, license)}
<div class="card">${factsHtml(view, license, usage, isKeyNew)}
${found.newKey.may === 'spent' && html`<p class="quiet small">${texts.newKey.spent(dayOrNull(view, found.newKey.nextAt))}</p>`}
<p class="links">${linksHtml(view, license)}${newKeyHtml(view, found)}</p></div>
${refusals.length > 0 && refusalsHtml(view, refusals, license)}
${license.status !== 'revoked' && devicesHtml(view, found)}
${users.length > 0 && usersHtml(view, found)}
${file !== null && fileHtml(view, license, file)}
<p><a href="/my/licenses">${texts.back}</a></p>`,
  };
}

function newsHtml(view: View, news: LicenseNews): Html {
  const { release, users, newKey } = textsOf(view);
  const { done, gone, refused } = release;
  if (news === 'newKey') return noticeHtml('good', newKey.done);
  if (news === 'newKeyMailed') return noticeHtml('good', newKey.doneAndMailed);
  if (news === 'noNewKey') return noticeHtml('bad', newKey.refused);
  if (news === 'freed') return noticeHtml('good', done);
  if (news === 'released') return noticeHtml('good', users.done);
  if (news === 'notReleased') return noticeHtml('bad', users.refused);
  return noticeHtml('bad', news === 'gone' ? gone : refused);
}

/** The way to a new key, where the shop allows one. */
function newKeyHtml(view: View, { license, newKey }: Found): Html | null {
  if (newKey.may !== 'possible') return null;
  return html`<a class="button" href="${addressOf('/my/new-key', { l: license.ref })}">${textsOf(view).newKey.button}</a>`;
}

/** The notice of a license that ends, ended or was withdrawn. */
function endHtml(view: View, { status, graceUntil }: LicenseCard): Html | null {
  const texts = textsOf(view);
  if (status === 'active')
    return graceUntil === null ? null : noticeHtml('bad', texts.license.grace(dayHtml(view, graceUntil)));
  if (status === 'expired') return noticeHtml('bad', texts.license.expired);
  return noticeHtml('bad', texts.license.revoked(supportHtml(view.shop, texts)));
}

/** The computers. A revoked license shows none: its machines are not known to the page. */
function devicesHtml(view: View, found: Found): Html {
  const texts = textsOf(view).devices;
  const { devices, moreDevices, budget } = found;
  return html`<h2>${texts.title}</h2>
${devices.length > 0 && html`<p class="quiet">${budgetHtml(view, budget)}</p>`}
${devices.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="card list">${devices.map((each) => deviceHtml(view, found, each))}</ul>`}
${moreDevices && html`<p class="quiet">${texts.more}</p>`}`;
}

function refusalsHtml(view: View, refusals: readonly ShownRefusal[], license: LicenseCard): Html {
  const { title } = textsOf(view).refusals;
  return html`<h2>${title}</h2>
<ul class="card list">${refusals.map((each) => html`<li>${refusalHtml(view, each, license)}</li>`)}</ul>`;
}

function refusalHtml(
  view: View,
  { at, device, code, details, wouldWorkNow }: ShownRefusal,
  license: LicenseCard,
): Html {
  const texts = textsOf(view).refusals;
  const name = device === null ? null : nameHtml(device);
  const day = dayHtml(view, at);
  const limit = Number(details.limit);
  const sentence =
    code === 'machine_limit'
      ? texts.noSlot(name, day, Number.isInteger(limit) && limit > 0 ? limit : null)
      : texts.because(name, day, texts.reasons[code]);
  const advice = code === 'machine_limit' && license.status === 'active' ? texts.freeOne : null;
  return html`<p>${sentence}</p>
<p class="quiet">${wouldWorkNow ? texts.worksNow : advice}</p>`;
}

function budgetHtml(view: View, { of, left, nextAt }: Found['budget']): Html | string {
  const texts = textsOf(view).devices;
  return of === 0 ? texts.off : texts.budget(left, of, dayOrNull(view, nextAt));
}

function deviceHtml(view: View, { license, budget }: Found, device: Device): Html {
  const texts = textsOf(view).devices;
  const last = html`${texts.last(dayHtml(view, device.lastSeenAt))}${device.country !== null && ` ${texts.from(countryInWords(view.language, device.country))}`}`;
  return html`<li class="device">
<div><h3>${deviceName(view, device)}</h3>
<p class="quiet small">${texts.first(dayHtml(view, device.firstSeenAt))}<br>${last}</p>
${device.running && html`<p class="status">${texts.running}</p>`}</div>
${actionHtml(view, license, budget, device)}
</li>`;
}

function actionHtml(view: View, license: LicenseCard, { nextAt }: Found['budget'], device: Device): Html | null {
  const texts = textsOf(view).devices;
  switch (device.release) {
    case 'free':
    case 'counts': {
      const address = addressOf('/my/release', { l: license.ref, d: device.ref });
      return html`<a class="button" href="${address}">${texts.free(deviceName(view, device))}</a>`;
    }
    case 'too_new':
      return html`<p class="small">${texts.tooNew}</p>`;
    case 'has_file':
      return html`<p class="small">${texts.hasFile(dayOrNull(view, device.fileUntil))}</p>`;
    case 'off':
      return null;
    case 'spent':
      return html`<p class="small">${texts.spent(dayOrNull(view, nextAt))}</p>`;
  }
}

/** The name of a computer; some apps report an empty one. */
export function deviceName(view: View, { name }: Pick<Device, 'name'>): Html {
  return name.trim() === '' ? html`${textsOf(view).devices.unnamed}` : nameHtml(name);
}

function usersHtml(view: View, { license, users, budget }: Found): Html {
  const texts = textsOf(view).users;
  const userHtml = (user: SeatHolder) => html`<li class="device">
<div><h3>${nameHtml(user.name)}</h3>
<p class="quiet small">${texts.machines(user.machines)}<br>${textsOf(view).devices.last(dayHtml(view, user.lastSeenAt))}</p></div>
${userActionHtml(view, license, budget, user)}
</li>`;
  return html`<h2>${texts.title}</h2>
<ul class="card list">${users.map(userHtml)}</ul>`;
}

function userActionHtml(view: View, license: LicenseCard, { nextAt }: Found['budget'], user: SeatHolder): Html | null {
  const { users, devices } = textsOf(view);
  switch (user.release) {
    case 'free':
    case 'counts': {
      const address = addressOf('/my/release-user', { l: license.ref, u: user.ref });
      return html`<a class="button" href="${address}">${users.release(nameHtml(user.name))}</a>`;
    }
    case 'too_new':
      return html`<p class="small">${devices.tooNew}</p>`;
    case 'has_file':
      return html`<p class="small">${devices.hasFile(null)}</p>`;
    case 'off':
      return null;
    case 'spent':
      return html`<p class="small">${devices.spent(dayOrNull(view, nextAt))}</p>`;
  }
}

function fileHtml(view: View, { ref }: LicenseCard, { token, request, error }: FileForm): Html {
  const texts = textsOf(view).file;
  const attributes = html`rows="6" autocomplete="off" spellcheck="false" required`;
  return html`<section class="file"><h2>${texts.title}</h2>
<p class="quiet">${texts.lead}</p>
<form method="post" action="${addressOf('/my/file', { l: ref })}" novalidate>
${tokenHtml(token)}${hiddenHtml({ l: ref })}
${areaHtml({ name: 'request', ...texts.field, error: fileErrorHtml(view, error) }, attributes, request)}
<p class="actions"><button>${texts.field.button}</button></p>
</form></section>`;
}

function fileErrorHtml(view: View, error: FileError | null): Html | string | null {
  const texts = textsOf(view);
  if (error === null) return null;
  if (typeof error === 'object') return texts.file.spent(dayOrNull(view, error.nextAt));
  return error === 'refused' ? texts.file.refused(supportHtml(view.shop, texts)) : texts.file[error];
}
