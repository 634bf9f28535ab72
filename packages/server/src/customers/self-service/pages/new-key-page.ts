/** The question before a license gets a new key, with its effect on the computers. */

import type { LicenseCard } from '../shapes.ts';
import { hiddenHtml, tokenHtml } from './fields.ts';
import { addressOf, type Content, textsOf, type View } from './frame.ts';
import { html } from './html.ts';
import { productHtml } from './licenses-page.ts';

/** GET /my/new-key. */
export interface NewKeyPage {
  readonly license: LicenseCard;
  readonly token: string;
}

export function newKeyPage(view: View, { license, token }: NewKeyPage): Content {
  const { newKey } = textsOf(view);
  return {
    title: newKey.title,
    main: html`<h1>${newKey.question(productHtml(license))}</h1>
<p>${newKey.effect}</p>
<p>${newKey.once}</p>
<form class="actions" method="post" action="/my/new-key">
${tokenHtml(token)}${hiddenHtml({ l: license.ref })}
<button class="main">${newKey.button}</button>
<a class="button" href="${addressOf('/my/license', { l: license.ref })}">${newKey.keep}</a>
</form>`,
  };
}
