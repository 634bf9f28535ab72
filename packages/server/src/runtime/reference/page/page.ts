/** The reference page at /docs: all endpoints on a single page without foreign content. */
import { escaped } from '../../../ground/base/html.ts';
import { type DescribedSection, SUMMARY } from '../described.ts';
import { nameSchemas } from '../schemas.ts';
import { endpointPart } from './endpoint-part.ts';
import { anchor, proseWithLinks } from './html.ts';
import { introduction } from './introduction.ts';
import { CONSOLE, GUIDES_LINK, OPENAPI, shell } from './shell.ts';

/**
 * The whole page as HTML.
 *
 * @param hasConsole true if the service serves the console; the page then links to it
 */
export function referencePage(sections: readonly DescribedSection[], hasConsole = false): string {
  const paths = new Set(sections.flatMap(({ endpoints }) => endpoints.map(({ path }) => path as string)));
  const prose = proseWithLinks(paths);
  const schemas = nameSchemas(sections);
  const chapters = introduction(prose);
  return shell({
    title: 'Latchkey reference',
    description: SUMMARY,
    part: 'Reference',
    bar: [GUIDES_LINK, ...(hasConsole ? [CONSOLE] : []), OPENAPI],
    contents: `${contentsGroup(
      'Start here',
      chapters.map(({ id, title }) => [id, title]),
    )}
${sections
  .map(({ title, endpoints }) =>
    contentsGroup(
      title,
      endpoints.map(({ path }) => [path, path]),
      true,
    ),
  )
  .join('\n')}`,
    main: `<header class="opening">
<h1>Latchkey reference</h1>
<p>${escaped(SUMMARY)} The <a href="${GUIDES_LINK.path}">guides</a> explain how apps and shops use the service, and how to operate it.</p>
</header>
${chapters.map(({ id, title, html }) => `<section class="chapter" id="${id}"><h2>${escaped(title)}</h2>\n${html}</section>`).join('\n')}
${sections
  .map(
    ({ title, description, endpoints }) => `<section class="group" id="${anchor(title)}">
<header><h2>${escaped(title)}</h2><p>${prose(description)}</p></header>
${endpoints.map((endpoint) => endpointPart(endpoint, schemas, prose)).join('\n')}
</section>`,
  )
  .join('\n')}`,
  });
}

function contentsGroup(title: string, links: readonly (readonly [string, string])[], isOfPaths = false): string {
  const items = links.map(([id, text]) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('');
  const heading = isOfPaths ? `<a href="#${anchor(title)}">${escaped(title)}</a>` : escaped(title);
  return `<div class="links"><p>${heading}</p><ul${isOfPaths ? ' class="paths"' : ''}>${items}</ul></div>`;
}
