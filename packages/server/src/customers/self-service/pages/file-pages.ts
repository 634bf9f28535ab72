/** The question before a license file is made, and the file itself. */

import type { CustomerReply, LicenseCard } from '../shapes.ts';
import { hiddenHtml, tokenHtml } from './fields.ts';
import { addressOf, type Content, dayOrNull, noticeHtml, textsOf, type View } from './frame.ts';
import { html } from './html.ts';
import { deviceName } from './license-page.ts';

/** The name of a license file on the customer's disk. */
const FILE_NAME = 'license.lic';

/** POST /my/file. */
export interface FileQuestion {
  readonly license: LicenseCard;
  readonly asked: CustomerReply<'askForMyFile'>;
  readonly token: string;
  /** The request of the app, as pasted. */
  readonly request: string;
}

export function fileQuestionPage(view: View, { license, asked, token, request }: FileQuestion): Content {
  const texts = textsOf(view);
  const { file } = texts;
  const until = dayOrNull(view, asked.expiresAt);
  return {
    title: file.title,
    main: html`<h1>${file.question(deviceName(view, { name: asked.deviceName }))}</h1>
<p>${asked.takesPlace ? file.takes(until) : file.keeps(until)}</p>
<p>${asked.counts ? file.counts(asked.left, asked.of) : file.countsNothing}</p>
<form class="actions" method="post" action="/my/make-file">
${tokenHtml(token)}${hiddenHtml({ l: license.ref, request })}
<button class="main">${file.field.button}</button>
<a class="button" href="${addressOf('/my/license', { l: license.ref })}">${texts.stop}</a>
</form>`,
  };
}

/** POST /my/make-file. */
export interface MadeFile {
  readonly license: LicenseCard;
  readonly made: CustomerReply<'makeMyFile'>;
}

export function madeFilePage(view: View, { license, made }: MadeFile): Content {
  const { file } = textsOf(view);
  // The service keeps no file, so the page itself holds it.
  const data = `data:application/octet-stream;base64,${Buffer.from(made.file).toString('base64')}`;
  return {
    title: file.title,
    main: html`${noticeHtml('good', file.keeps(dayOrNull(view, made.expiresAt)))}
<h1>${file.done(deviceName(view, { name: made.deviceName }))}</h1>
<p>${file.take}</p>
<p class="actions"><a class="button main" download="${FILE_NAME}" href="${data}">${file.save}</a>
<a class="button" href="${addressOf('/my/license', { l: license.ref })}">${file.toLicense}</a></p>
<label for="file">${file.text}</label>
<textarea id="file" rows="6" readonly spellcheck="false">
${made.file}</textarea>`,
  };
}
