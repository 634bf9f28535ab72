/** Small pieces of HTML that every part of the page is made of. */

/** Text with the characters that mean something in HTML replaced. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Makes prose into HTML: what stands between backticks becomes code, and a path of this page becomes a link to it. */
export type Prose = (text: string) => string;

/** Prose that links to these paths; `/createLicense` is at `#/createLicense`. */
export function proseWithLinks(paths: ReadonlySet<string>): Prose {
  return (text) =>
    text
      .split('`')
      .map((part, index) => (index % 2 === 1 ? code(part) : linked(part, paths)))
      .join('');
}

/** A word of the contract. */
export function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

function linked(text: string, paths: ReadonlySet<string>): string {
  return escaped(text).replace(/(?<![\w/])\/\w+/g, (path) =>
    paths.has(path) ? `<a href="#${path}">${code(path)}</a>` : path,
  );
}

/** A code of a refusal and what it means. */
export function codeAndMeaning(name: string, meaning: string): string {
  return `<code class="name">${escaped(name)}</code><small>${meaning}</small>`;
}

/** The `id` of a heading: `License management` is `license-management`. */
export function anchor(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/**
 * A table with a head; `label` names it for those who cannot see what stands above it.
 *
 * @param kind `fields`: on phones what a field means stands below its name
 */
export function table(label: string, columns: readonly string[], rows: readonly string[], kind?: 'fields'): string {
  const heads = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('');
  const name = kind === undefined ? '' : ` class="${kind}"`;
  return `<table${name} aria-label="${escaped(label)}"><thead><tr>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** A row of cells that are HTML already. The first is the row's heading. */
export function row([first = '', ...others]: readonly string[]): string {
  return `<tr><th scope="row">${first}</th>${others.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

/** A sample that may be wider than its place: it scrolls by itself, also by keyboard. */
export function sample(caption: string, html: string): string {
  return `<figure><figcaption>${escaped(caption)}</figcaption><pre tabindex="0" role="group" aria-label="${escaped(caption)}"><code>${html}</code></pre></figure>`;
}
