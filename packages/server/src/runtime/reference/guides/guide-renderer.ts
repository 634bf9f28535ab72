/** The HTML of each element of a guide. */
import { posix } from 'node:path';
import type { RendererObject, RendererThis, Token, Tokens } from 'marked';
import { escaped } from '../../../ground/base/html.ts';
import { code, preformatted } from '../page/html.ts';
import type { PictureSize } from './guide-files.ts';
import { fileOf, GUIDES, pathOf, pathOfPicture } from './guide-list.ts';

/** Everything about a guide that its Markdown does not say by itself. */
export interface GuideContext {
  /** Its folder in docs/. */
  readonly folder: string;
  readonly endpointPaths: ReadonlySet<string>;
  /** By file name. */
  readonly sizes: ReadonlyMap<string, PictureSize>;
  /** The `id` of each heading. */
  readonly ids: ReadonlyMap<Token, string>;
}

/** Files of the repository that the service serves, and their paths. */
const SERVED_FILES: ReadonlyMap<string, string> = new Map([
  ...GUIDES.map((guide) => [`docs/${fileOf(guide)}`, pathOf(guide)] as const),
  ['packages/server/openapi.json', '/openapi.json'],
]);

const TITLES: ReadonlyMap<string, string> = new Map(GUIDES.map(({ name, title }) => [`${name}.md`, title]));

/** Labels of samples by their language; a sample without one is `Text`. */
const SAMPLE_LABELS: Readonly<Record<string, string>> = {
  csharp: 'C#',
  csv: 'CSV',
  go: 'Go',
  ini: 'Settings',
  js: 'JavaScript',
  json: 'JSON',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
  sh: 'Commands',
  sql: 'SQL',
  ts: 'TypeScript',
  yaml: 'YAML',
};

/** A path of one word, as text names endpoints. */
const PATHS = /(?<![\w/.-])\/\w+(?![\w/])/g;

/** Creates the renderer of one guide. It stays in step with the text that it renders, so it serves a single guide. */
export function guideRenderer({ folder, endpointPaths, sizes, ids }: GuideContext): RendererObject {
  /** True within a link or a heading, where no further link may be. */
  let isLinked = false;
  /** The heading above, which names samples and tables for people who cannot see it. */
  let heading = '';

  const linked = (self: RendererThis, tokens: Token[]): string => {
    const before = isLinked;
    isLinked = true;
    const html = self.parser.parseInline(tokens);
    isLinked = before;
    return html;
  };
  const linkToEndpoint = (path: string) => `<a href="/docs#${path}">${code(path)}</a>`;

  return {
    heading(token) {
      const { depth, tokens, text } = token;
      const html = linked(this, tokens);
      heading = text.replaceAll('`', '');
      if (depth === 1) return `<h1>${html}</h1>\n`;
      const id = ids.get(token);
      return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
    },

    code({ text, lang = '' }) {
      const label = SAMPLE_LABELS[lang] ?? 'Text';
      const name = label === heading ? label : `${label}: ${heading}`;
      return `<figure>${preformatted(name, escaped(text))}</figure>\n`;
    },

    codespan({ text }) {
      if (endpointPaths.has(text) && !isLinked) return linkToEndpoint(text);
      // A narrow column breaks the name of a variable between its words.
      return code(text).replaceAll('_', '_<wbr>');
    },

    text(token) {
      if ('tokens' in token && token.tokens !== undefined) return this.parser.parseInline(token.tokens);
      const text = escaped(token.text);
      if (isLinked) return text;
      return text.replace(PATHS, (path) => (endpointPaths.has(path) ? linkToEndpoint(path) : path));
    },

    html({ text }) {
      return /^\s*<!--[\s\S]*?-->\s*$/.test(text) ? '' : escaped(text);
    },

    checkbox() {
      return '<span class="box"></span>';
    },

    link({ href, tokens }) {
      const inner = linked(this, tokens);
      if (isLinked) return inner;
      if (/^https?:/.test(href)) return `<a href="${escaped(href)}" rel="noreferrer">${inner}</a>`;
      const [file = '', part] = href.split('#');
      const hash = part === undefined ? '' : `#${escaped(part)}`;
      if (file === '') return `<a href="${hash}">${inner}</a>`;
      const path = posix.join('docs', folder, file);
      const served = SERVED_FILES.get(path);
      if (served !== undefined) return `<a href="${served}${hash}">${TITLES.get(inner) ?? inner}</a>`;
      // The service does not have the file, so its name tells where it is in the sources.
      return path.endsWith(inner) ? code(path) : inner;
    },

    image(token) {
      const name = pictureOf(token);
      const { width, height } = sizes.get(name)!;
      return `<img src="${pathOfPicture(name)}" alt="${escaped(token.text)}" width="${width}" height="${height}" loading="lazy">`;
    },

    paragraph({ tokens }) {
      const [only, ...others] = tokens;
      if (only?.type === 'image' && others.length === 0) return pictureWithCaption(this, only as Tokens.Image);
      return `<p>${this.parser.parseInline(tokens)}</p>\n`;
    },

    table({ header, rows }) {
      const pictures = rows.flat().flatMap(({ tokens }) => tokens.filter((token) => token.type === 'image'));
      if (pictures.length > 0)
        return `<div class="pictures">${pictures.map((each) => pictureWithCaption(this, each as Tokens.Image)).join('')}</div>\n`;
      // A heading without text would be read out as one.
      const cell = ({ tokens, text, align }: Tokens.TableCell, scope?: 'col' | 'row') => {
        const [name, attribute] = scope === undefined || text === '' ? ['td', ''] : ['th', ` scope="${scope}"`];
        return `<${name}${attribute}${align === 'right' ? ' class="number"' : ''}>${this.parser.parseInline(tokens)}</${name}>`;
      };
      const heads = header.map((each) => cell(each, 'col')).join('');
      const body = rows
        .map((row) => `<tr>${row.map((each, column) => cell(each, column === 0 ? 'row' : undefined)).join('')}</tr>`)
        .join('\n');
      const head = header.every(({ text }) => text === '') ? '' : `<thead><tr>${heads}</tr></thead>`;
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table: ${escaped(heading)}"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
  };
}

/** The file name of a picture. */
export function pictureOf({ href }: Tokens.Image): string {
  return posix.basename(href);
}

/** A picture above the text that describes it, which people who cannot see the picture hear once. */
function pictureWithCaption(self: RendererThis, picture: Tokens.Image): string {
  return `<figure class="picture">${self.parser.renderer.image(picture)}<figcaption aria-hidden="true">${escaped(picture.text)}</figcaption></figure>\n`;
}
