/** The pages before a session: ask for a code, enter it, use a link. */
import { hiddenHtml, inputHtml, tokenHtml } from './fields.ts';
import { addressOf, type Content, noticeHtml, supportHtml, textsOf, type View } from './frame.ts';
import { type Html, html } from './html.ts';

/** Outcomes of the previous step that the first page reports. */
export type Arrival = 'signedOut' | 'ended';

/** GET /my. */
export interface AskPage {
  /** Why nobody can ask for a code here; null if everybody can. */
  readonly closed: 'withoutMail' | 'withoutShop' | null;
  readonly arrival: Arrival | null;
  readonly email: string;
  readonly error: 'missing' | 'invalid' | null;
}

export function askPage(view: View, { closed, arrival, email, error }: AskPage): Content {
  const texts = textsOf(view);
  const { ask } = texts;
  const said = arrival && noticeHtml('plain', texts.session[arrival]);
  if (closed !== null)
    return {
      title: ask.title,
      main: html`${said}<h1>${ask.title}</h1>
<p>${closed === 'withoutMail' ? ask.withoutMail(supportHtml(view.shop, texts)) : ask[closed]}</p>`,
    };
  const field = { name: 'email', ...ask.field, error: error && ask[error] };
  const attributes = html`type="email" autocomplete="email" maxlength="320" required`;
  return {
    title: ask.title,
    isRefused: error !== null,
    main: html`${said}<h1>${ask.title}</h1>
<p>${ask.lead}</p>
<form method="post" action="${addressOf('/my', { shop: view.shopId })}" novalidate>
${inputHtml(field, attributes, email)}
<p class="actions"><button class="main">${ask.field.button}</button></p>
</form>
<p class="quiet small">${ask.privacy}</p>`,
  };
}

/** GET /my/code. */
export interface CodePage {
  /** The token of the form; null if this browser has not asked for a code. */
  readonly token: string | null;
  readonly code: string;
  readonly error: 'missing' | 'notAccepted' | null;
}

export function codePage(view: View, { token, code, error }: CodePage): Content {
  const texts = textsOf(view).code;
  const again = html`<p><a href="${addressOf('/my', { shop: view.shopId })}">${texts.again}</a></p>`;
  if (token === null)
    return {
      title: texts.title,
      isRefused: true,
      main: html`<h1>${texts.title}</h1>
${noticeHtml('bad', texts.notAsked)}
${again}`,
    };
  const field = { name: 'code', ...texts.field, error: error && texts[error] };
  const attributes = html`class="code" type="text" autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck="false" maxlength="40" required`;
  return {
    title: texts.title,
    isRefused: error !== null,
    main: html`<h1>${texts.title}</h1>
<p>${texts.lead}</p>
<form method="post" action="${addressOf('/my/code', { shop: view.shopId })}" novalidate>
${tokenHtml(token)}
${inputHtml(field, attributes, code)}
<p class="actions"><button class="main">${texts.field.button}</button></p>
</form>
${again}`,
  };
}

/** GET /my/enter: a button, because programs that examine e-mails follow links, and must not use this one up. */
export function linkPage(view: View, link: string): Content {
  const { link: texts } = textsOf(view);
  return {
    title: texts.title,
    main: html`<h1>${texts.title}</h1>
<p>${texts.lead}</p>
<form method="post" action="${addressOf('/my/enter', { shop: view.shopId })}">
${hiddenHtml({ c: link })}
<p class="actions"><button class="main">${texts.button}</button></p>
</form>`,
  };
}

/** The answer to a link that was used or has ended. */
export function endedLinkPage(view: View): Content {
  const texts = textsOf(view);
  const { notAccepted, askForCode } = texts.link;
  const support: Html | null = supportHtml(view.shop, texts);
  return {
    title: notAccepted.title,
    isRefused: true,
    main: html`<h1>${notAccepted.title}</h1>
<p>${notAccepted.text}</p>
${support && html`<p>${support}</p>`}
${view.shop.signIn === 'code' && html`<p><a href="${addressOf('/my', { shop: view.shopId })}">${askForCode}</a></p>`}`,
  };
}
