/**
 * HTML by one template function, which escapes every value. A text becomes HTML only here, so no value that a stranger
 * chose can become an element or an attribute.
 */

/** HTML that {@link html} made. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

/** A value in a template; null and false leave nothing. */
export type Inserted = Html | string | number | null | false | readonly Inserted[];

/**
 * The template function: `html\`<p title="${text}">${text}</p>\``. Texts and numbers are escaped for elements and for
 * attributes in double quotes; HTML, and lists of HTML, stay as they are.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Inserted[]): Html {
  return new Html(parts.reduce((before, part, index) => `${before}${textOf(values[index - 1] ?? null)}${part}`));
}

function textOf(value: Inserted): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(textOf).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * A name that somebody chose: of a computer, a shop, a product, a customer. `<bdi>` keeps its writing direction, and
 * marks in it that change the direction, from the words around it.
 */
export function nameHtml(name: string): Html {
  return html`<bdi>${oneLine(name)}</bdi>`;
}

/** A name in one line: control characters and line separators become blanks. */
export function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** A name for the title of a page, which has no elements: marks of direction would change the words after it. */
export function titleText(name: string): string {
  return oneLine(name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ''));
}
