/** Fields of forms: label, hint, error and input belong together for eyes and for screen readers. */
import { type Html, html } from './html.ts';

/** A text field. */
interface Field {
  /** Name in the form, and beginning of the ids. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** Why the value was refused; null if it was not. */
  readonly error: string | Html | null;
}

/** A field with an input of one line. `attributes` are those of its kind; `value` is what the visitor typed. */
export function inputHtml(field: Field, attributes: Html, value: string): Html {
  return html`${headHtml(field)}
<input id="${field.name}" name="${field.name}" ${attributes} value="${value}" ${describedHtml(field)}>`;
}

/** A field of several lines. */
export function areaHtml(field: Field, attributes: Html, value: string): Html {
  // HTML drops one line break after the tag, so a value that begins with one keeps it.
  return html`${headHtml(field)}
<textarea id="${field.name}" name="${field.name}" ${attributes} ${describedHtml(field)}>
${value}</textarea>`;
}

function headHtml({ name, label, hint, error }: Field): Html {
  return html`<label for="${name}">${label}</label>
<p class="hint" id="${name}-hint">${hint}</p>
${error !== null && html`<p class="wrong" id="${name}-error">${error}</p>`}`;
}

/** The keyboard starts in a refused field. */
function describedHtml({ name, error }: Field): Html {
  return error === null
    ? html`aria-describedby="${name}-hint"`
    : html`aria-invalid="true" aria-describedby="${name}-error ${name}-hint" autofocus`;
}

/** The token that shows that a form came from a page of this session. */
export function tokenHtml(token: string): Html {
  return html`<input type="hidden" name="t" value="${token}">`;
}

/** Fields that the visitor does not see. */
export function hiddenHtml(values: Readonly<Record<string, string>>): Html {
  return html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}
