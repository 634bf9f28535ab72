/** Small HTML helpers for all parts of the page. */
import { escaped } from '../../../ground/base/html.ts';

/** Converts prose to HTML: text between backticks becomes code, and a path on this page becomes a link. */
export type Prose = (text: string) => string;

/** Creates prose that links these paths; `/createLicense` is at `#/createLicense`. */
export function proseWithLinks(paths: ReadonlySet<string>): Prose {
  return (text) =>
    text
      .split('`')
      .map((part, index) => (index % 2 === 1 ? code(part) : linked(part, paths)))
      .join('');
}

/** A word of the contract, as code. */
export function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

function linked(text: string, paths: ReadonlySet<string>): string {
  return escaped(text).replace(/(?<![\w/])\/\w+/g, (path) =>
    paths.has(path) ? `<a href="#${path}">${code(path)}</a>` : path,
  );
}

/** The code of a refusal and its meaning. */
export function codeAndMeaning(name: string, meaning: string): string {
  return `<code class="name">${escaped(name)}</code><small>${meaning}</small>`;
}

/** The `id` of a heading: `License management` becomes `license-management`. */
export function anchor(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/**
 * A table with a head; `label` names it for people who cannot see the text above it.
 *
 * @param kind `fields`: on phones the meaning of a field moves below its name
 */
export function table(label: string, columns: readonly string[], rows: readonly string[], kind?: 'fields'): string {
  const heads = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('');
  const name = kind === undefined ? '' : ` class="${kind}"`;
  return `<table${name} aria-label="${escaped(label)}"><thead><tr>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** A row of cells that are already HTML. The first cell is the row's heading. */
export function row([first = '', ...others]: readonly string[]): string {
  return `<tr><th scope="row">${first}</th>${others.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

/** A sample with its caption. */
export function sample(caption: string, html: string): string {
  return `<figure><figcaption>${escaped(caption)}</figcaption>${preformatted(caption, html)}</figure>`;
}

/**
 * Lines of code that may be wider than their column; they scroll separately, also by keyboard.
 *
 * @param label names them for people who cannot see the text around them
 */
export function preformatted(label: string, html: string): string {
  return `<pre tabindex="0" role="group" aria-label="${escaped(label)}"><code>${html}</code></pre>`;
}
