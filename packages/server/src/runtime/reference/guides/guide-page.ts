/** The pages of the guides: a guide, their overview, and the page for an address that has none. */
import { escaped } from '../../../ground/base/html.ts';
import { type BarLink, CONSOLE, GUIDES_LINK, OPENAPI, REFERENCE, shell } from '../page/shell.ts';
import type { GuideText } from './guide-html.ts';
import { GUIDE_GROUPS, GUIDES, type Guide, pathOf } from './guide-list.ts';

/** The page of a guide. */
export function guidePage(guide: Guide, { parts, html }: GuideText, hasConsole: boolean): string {
  const [{ title }, ...others] = parts;
  const headings = others
    .filter(({ depth }) => depth <= 3)
    .map(
      (part) => `<li${part.depth === 3 ? ' class="inner"' : ''}><a href="#${part.id}">${escaped(part.title)}</a></li>`,
    );
  const onThisPage = `<div class="links"><p>On this page</p><ul>${headings.join('')}</ul></div>\n`;
  return shell({
    title: `${title} | Latchkey`,
    description: guide.about,
    part: 'Guides',
    bar: barOf(hasConsole),
    contents: `${headings.length === 0 ? '' : onThisPage}${listOfGuides(guide)}`,
    main: `<article class="guide">\n${html}</article>\n${neighbours(guide)}`,
  });
}

/** The overview of all guides. */
export function overviewPage(hasConsole: boolean): string {
  return shell({
    title: 'Guides | Latchkey',
    description: 'Guides for app developers, shops, support and operators.',
    part: 'Guides',
    bar: barOf(hasConsole),
    contents: listOfGuides(null),
    main: `<article class="guide">
<h1>Guides</h1>
<p>Each guide belongs to this version of the service. The <a href="/docs">reference</a> describes every endpoint.</p>
${guidesWithSentences()}</article>`,
  });
}

/** The page for an address below /docs that has no page. */
export function missingPage(hasConsole: boolean): string {
  return shell({
    title: 'No such page | Latchkey',
    description: 'There is no page at this address.',
    part: 'Guides',
    bar: barOf(hasConsole),
    contents: listOfGuides(null),
    main: `<article class="guide">
<h1>There is no page at this address</h1>
<p>The <a href="/docs">reference</a> describes every endpoint. These are the guides:</p>
${guidesWithSentences()}</article>`,
  });
}

function barOf(hasConsole: boolean): readonly BarLink[] {
  return [GUIDES_LINK, REFERENCE, ...(hasConsole ? [CONSOLE] : []), OPENAPI];
}

/** The guides in the contents; the one that is shown is marked. */
function listOfGuides(shown: Guide | null): string {
  return GUIDE_GROUPS.map(({ title, guides }) => {
    const items = guides.map((guide) => {
      const current = guide === shown ? ' aria-current="page"' : '';
      return `<li><a href="${pathOf(guide)}"${current}>${escaped(guide.title)}</a></li>`;
    });
    return `<div class="links"><p>${escaped(title)}</p><ul>${items.join('')}</ul></div>`;
  }).join('\n');
}

function guidesWithSentences(): string {
  return GUIDE_GROUPS.map(({ title, guides }) => {
    const items = guides.map(
      (guide) => `<li><a href="${pathOf(guide)}">${escaped(guide.title)}</a><span>${escaped(guide.about)}</span></li>`,
    );
    return `<h2>${escaped(title)}</h2>\n<ul class="guides">${items.join('')}</ul>\n`;
  }).join('');
}

/** Links to the guides before and after a guide. */
function neighbours(guide: Guide): string {
  const place = GUIDES.indexOf(guide);
  const link = (other: Guide | undefined, words: string) =>
    other === undefined ? '' : `<a href="${pathOf(other)}"><small>${words}</small>${escaped(other.title)}</a>`;
  return `<nav class="neighbours" aria-label="Neighbouring guides">${link(GUIDES[place - 1], 'Previous')}${link(GUIDES[place + 1], 'Next')}</nav>`;
}
