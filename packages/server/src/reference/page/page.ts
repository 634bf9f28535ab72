/** The reference page at /docs: a single page without scripts or foreign content. */

import { createHash } from 'node:crypto';
import { escaped } from '../../base/html.ts';
import { type DescribedSection, SUMMARY } from '../described.ts';
import { nameSchemas } from '../schemas.ts';
import { endpointPart } from './endpoint-part.ts';
import { anchor, proseWithLinks } from './html.ts';
import { introduction } from './introduction.ts';
import { MARK_PATH } from './mark.ts';
import { STYLES } from './styles.ts';

/** Allows the page its own styles and the service's icon, and nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLES).digest('base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Other pages of this service, linked in the top bar. */
const OPENAPI = { path: '/openapi.json', title: 'OpenAPI' } as const;
const CONSOLE = { path: '/console/', title: 'Console' } as const;

/**
 * The whole page as HTML.
 *
 * @param hasConsole true if the service serves the console; the page then links to it
 */
export function referencePage(sections: readonly DescribedSection[], hasConsole = false): string {
  const pages = hasConsole ? [CONSOLE, OPENAPI] : [OPENAPI];
  const paths = new Set(sections.flatMap(({ endpoints }) => endpoints.map(({ path }) => path as string)));
  const prose = proseWithLinks(paths);
  const schemas = nameSchemas(sections);
  const chapters = introduction(prose);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(SUMMARY)}">
<title>Latchkey reference</title>
<link rel="icon" href="${MARK_PATH}" type="image/svg+xml">
<style>${STYLES}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">
<a class="brand" href="#main">Latchkey <span>Reference</span></a>
<nav aria-label="Pages"><a class="narrow" href="#contents">Contents</a>${pages.map(({ path, title }) => `<a href="${path}">${title}</a>`).join('')}</nav>
</header>
<div class="layout">
<nav class="contents" id="contents" aria-label="Contents">
${contentsGroup(
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
  .join('\n')}
</nav>
<main id="main" tabindex="-1">
<header class="opening">
<h1>Latchkey reference</h1>
<p>${escaped(SUMMARY)}</p>
</header>
${chapters.map(({ id, title, html }) => `<section class="chapter" id="${id}"><h2>${escaped(title)}</h2>\n${html}</section>`).join('\n')}
${sections
  .map(
    ({ title, description, endpoints }) => `<section class="group" id="${anchor(title)}">
<header><h2>${escaped(title)}</h2><p>${prose(description)}</p></header>
${endpoints.map((endpoint) => endpointPart(endpoint, schemas, prose)).join('\n')}
</section>`,
  )
  .join('\n')}
</main>
</div>
</body>
</html>
`;
}

function contentsGroup(title: string, links: readonly (readonly [string, string])[], isOfPaths = false): string {
  const items = links.map(([id, text]) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('');
  const heading = isOfPaths ? `<a href="#${anchor(title)}">${escaped(title)}</a>` : escaped(title);
  return `<div class="links"><p>${heading}</p><ul${isOfPaths ? ' class="paths"' : ''}>${items}</ul></div>`;
}
