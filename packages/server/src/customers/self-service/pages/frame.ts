/** The frame of every page: head, brand of the shop, end of the session, languages, support. */
import { type CustomerReply, LANGUAGES, type Language } from '../shapes.ts';
import { COPY_SCRIPT } from './copy-script.ts';
import { type Html, html, nameHtml, titleText } from './html.ts';
import { stylesAddress } from './styles.ts';
import type { Texts } from './texts/en.ts';
import { dayInWords, TEXTS } from './texts/languages.ts';

/** The brand of the pages. */
export type Shop = CustomerReply<'showShop'>;

/** The visitor's side of a page: language, shop and address. */
export interface View {
  readonly language: Language;
  /** The `shop` of the address or of the session; null for the operator's own pages. */
  readonly shopId: string | null;
  readonly shop: Shop;
  /** The address of the page, with its query but without `lang`, for the links to other languages. */
  readonly here: string;
  /** The address of the signed-in customer, and the token of the form that ends the session; null without a session. */
  readonly session: { readonly email: string; readonly signOutToken: string } | null;
}

/** A page without its frame. */
export interface Content {
  readonly title: string;
  /** True if a form was refused: the title says so first, for people who hear it first. */
  readonly isRefused?: boolean;
  /** True if the page has a button that copies. */
  readonly copies?: boolean;
  readonly main: Html;
}

export function textsOf({ language }: View): Texts {
  return TEXTS[language];
}

/** The whole page as text. */
export function framed(view: View, { title, isRefused = false, copies = false, main }: Content): string {
  const texts = textsOf(view);
  const { shop, shopId, session, language } = view;
  const shopName = titleText(shop.name);
  const home = session === null ? addressOf('/my', { shop: shopId }) : '/my/licenses';
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isRefused && `${texts.error}: `}${titleText(title)} · ${shopName}</title>
<link rel="stylesheet" href="${stylesAddress(shop.accent)}">
</head>
<body>
<a class="skip" href="#main">${texts.skip}</a>
<header>
<a class="brand" href="${home}">${shop.logo && html`<img src="${addressOf('/my/logo', { shop: shopId })}" alt="">`}${nameHtml(shop.name)}</a>
${session !== null && sessionHtml(session, texts)}
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
${helpHtml(shop, texts)}
<nav aria-label="${texts.languages}"><ul>${LANGUAGES.map((each) => languageHtml(each, view))}</ul></nav>
</footer>
${copies && COPY_SCRIPT}
</body>
</html>
`.text;
}

function sessionHtml({ email, signOutToken }: NonNullable<View['session']>, texts: Texts): Html {
  return html`<div class="session"><p>${texts.session.signedInAs(nameHtml(email))}</p>
<form method="post" action="/my/sign-out"><input type="hidden" name="t" value="${signOutToken}"><button class="plain">${texts.session.signOut}</button></form></div>`;
}

function languageHtml(language: Language, view: View): Html {
  const name = TEXTS[language].languageName;
  const current = language === view.language && html` aria-current="true"`;
  const address = `${view.here}${view.here.includes('?') ? '&' : '?'}lang=${language}`;
  return html`<li><a href="${address}" lang="${language}" hreflang="${language}"${current}>${name}</a></li>`;
}

/** The way to the shop's support; nothing if the shop names none. */
export function supportHtml({ supportAddress, supportUrl }: Shop, texts: Texts): Html | null {
  if (supportUrl?.startsWith('https://')) return html`<a href="${supportUrl}">${texts.supportPage}</a>`;
  if (supportAddress === null) return null;
  return html`<a href="mailto:${encodeURIComponent(supportAddress)}">${nameHtml(supportAddress)}</a>`;
}

function helpHtml(shop: Shop, texts: Texts): Html | null {
  const support = supportHtml(shop, texts);
  return support && html`<p>${texts.help(support)}</p>`;
}

/** A notice above the content. */
export function noticeHtml(kind: 'good' | 'bad' | 'plain', text: string | Html): Html {
  const role = kind === 'bad' ? 'alert' : 'status';
  return html`<div class="notice ${kind}" role="${role}"><p>${text}</p></div>`;
}

/** A day in the language of the page. */
export function dayHtml({ language }: View, timestamp: string): Html {
  return html`<time datetime="${timestamp}">${dayInWords(language, timestamp)}</time>`;
}

/** The day of a moment; null for none. */
export function dayOrNull(view: View, timestamp: string | null): Html | null {
  return timestamp === null ? null : dayHtml(view, timestamp);
}

/** An address of the pages with those parts of its query that are not null. */
export function addressOf(path: string, query: Readonly<Record<string, string | null>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
