/** A page that states the reason for a missing page or a failure. */
import { addressOf, type Content, textsOf, type View } from './frame.ts';
import { html } from './html.ts';
import type { Texts } from './texts/en.ts';

/** The reasons for such a page. */
export type Notice = keyof Texts['notices'];

export function noticePage(view: View, notice: Notice): Content {
  const { notices, toStart } = textsOf(view);
  const { title, text } = notices[notice];
  return {
    title,
    isRefused: true,
    main: html`<h1>${title}</h1>
<p>${text}</p>
<p><a href="${view.session === null ? addressOf('/my', { shop: view.shopId }) : '/my/licenses'}">${toStart}</a></p>`,
  };
}
