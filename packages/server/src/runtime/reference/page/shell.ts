/** The frame that all pages below /docs share: head, top bar, contents, search. */
import { createHash } from 'node:crypto';
import { escaped } from '../../../ground/base/html.ts';
import { MARK_PATH } from './mark.ts';
import { SCRIPT } from './script.ts';
import { STYLES } from './styles.ts';

/**
 * Allows a page its own styles, its own script, the service's icon, and a request to this service for the texts to
 * search. The script may not turn text into HTML.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLES)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Policy for documents other than pages: nothing in them may run or be fetched. */
export const NOTHING_ALLOWED = "default-src 'none'; frame-ancestors 'none'";

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A link in the top bar. */
export interface BarLink {
  readonly path: string;
  readonly title: string;
}

/** Pages of this service. */
export const GUIDES_LINK: BarLink = { path: '/docs/guides', title: 'Guides' };
export const REFERENCE: BarLink = { path: '/docs', title: 'Reference' };
export const CONSOLE: BarLink = { path: '/console/', title: 'Console' };
export const OPENAPI: BarLink = { path: '/openapi.json', title: 'OpenAPI' };

/** A page of the shell. */
export interface ShellPage {
  /** Title of the document. */
  readonly title: string;
  readonly description: string;
  /** The name in the bar beside Latchkey, for example `Reference`. */
  readonly part: string;
  readonly bar: readonly BarLink[];
  /** The contents beside the text, as HTML. */
  readonly contents: string;
  /** The text, as HTML. */
  readonly main: string;
}

/** The whole page as HTML. */
export function shell({ title, description, part, bar, contents, main }: ShellPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(description)}">
<title>${escaped(title)}</title>
<link rel="icon" href="${MARK_PATH}" type="image/svg+xml">
<style>${STYLES}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">
<a class="brand" href="#main">Latchkey <span>${escaped(part)}</span></a>
<nav aria-label="Pages"><a class="narrow" href="#contents">Contents</a>${bar.map(linkTo).join('')}</nav>
<button type="button" id="find" aria-keyshortcuts="/" hidden>Search</button>
</header>
<dialog id="search" aria-label="Search">
<form><label for="words">Search</label><input type="search" id="words" autocomplete="off" spellcheck="false" maxlength="100" placeholder="Endpoint, field, code or word"></form>
<p role="status"></p>
<ol></ol>
</dialog>
<div class="layout">
<nav class="contents" id="contents" aria-label="Contents">
${contents}
<div class="links narrow"><p>Elsewhere</p><ul>${bar.map((each) => `<li>${linkTo(each)}</li>`).join('')}</ul></div>
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</div>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function linkTo({ path, title }: BarLink): string {
  return `<a href="${path}">${escaped(title)}</a>`;
}
