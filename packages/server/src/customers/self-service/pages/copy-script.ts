/**
 * The only script of the pages: it shows the buttons that copy a license key. A browser without a clipboard keeps them
 * hidden, and the pages work without the script.
 */
import { hash } from 'node:crypto';
import { html } from './html.ts';

/** The element with the script. A button has the text to copy in `data-copy`, and its next label in `data-copied`. */
export const COPY_SCRIPT = html`<script>for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
  });
}</script>`;

const source = COPY_SCRIPT.text.slice('<script>'.length, -'</script>'.length);

/** The script in a Content Security Policy: browsers run this text and no other. */
export const COPY_SCRIPT_SOURCE = `'sha256-${hash('sha256', source, 'base64')}'`;
