/**
 * The path below which browsers see the service, such as `/licenses` of `https://example.com/licenses`. All parts of
 * the service know their own paths alone: this file takes the prefix off requests and puts it on links, redirects and
 * cookies (rules 1.1).
 */
import type { IncomingMessage } from 'node:http';
import { compressedText, type SharedText } from '../../ground/base/shared-text.ts';
import type { DocumentText, SiteAnswer } from '../../platform/sites/answer.ts';

/** A link of a page to a path of the service. Texts of others have no quotation marks there: pages escape them. */
const LINK = /\b(href|src|action)="\/(?!\/)/g;
/** The server in descriptions of the service. */
const SERVER = '"servers":[{"url":"/"}]';
/** Browsers accept `__Host-` for all paths of a host only; cookies of a prefix have the other name, and its path. */
const HOST_COOKIE = '__Host-latchkey';
const PREFIX_COOKIE = '__Secure-latchkey';

export class PathPrefix {
  readonly #prefix: string;
  /** Documents are few and stay as they are while the service runs. */
  readonly #documents = new WeakMap<SharedText, Promise<SharedText>>();

  /** @param prefix begins with a slash and does not end with one */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Takes the prefix off a request whose proxy left it there, and gives its cookies their names in the service. */
  takeOff(request: IncomingMessage): void {
    const url = request.url ?? '/';
    const rest = url.slice(this.#prefix.length);
    if (url.startsWith(this.#prefix) && /^(?:[/?#]|$)/.test(rest))
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
    const { cookie } = request.headers;
    if (cookie !== undefined)
      request.headers.cookie = cookie
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => !pair.startsWith(HOST_COOKIE))
        .map((pair) => (pair.startsWith(PREFIX_COOKIE) ? HOST_COOKIE + pair.slice(PREFIX_COOKIE.length) : pair))
        .join('; ');
  }

  /** Headers of an answer, alternating names and values, as browsers get them. */
  headers(headers: readonly string[]): readonly string[] {
    return headers.map((value, index) => {
      const name = index % 2 === 0 ? '' : headers[index - 1];
      if (name === 'Location' && value.startsWith('/')) return this.#prefix + value;
      if (name !== 'Set-Cookie') return value;
      return value.replace(HOST_COOKIE, PREFIX_COOKIE).replace('Path=/', `Path=${this.#prefix}/`);
    });
  }

  /** An answer of a site, with the links of a page. */
  answer(answer: SiteAnswer): SiteAnswer {
    const headers = this.headers(answer.headers);
    const type = answer.headers[answer.headers.indexOf('Content-Type') + 1] ?? '';
    const isPage = type.startsWith('text/html') && !answer.headers.includes('Content-Encoding');
    return { ...answer, headers, body: isPage ? this.#linked(String(answer.body)) : answer.body };
  }

  /** A document, with the links of a page or the server of a description. */
  async document(document: DocumentText): Promise<DocumentText> {
    const { text, contentType } = document;
    if (!/^(?:text\/html|application\/json)/.test(contentType)) return document;
    let linked = this.#documents.get(text);
    if (linked === undefined) {
      const plain = text[text.length - 1]!.body.toString();
      const isPage = contentType.startsWith('text/html');
      linked = compressedText(isPage ? this.#linked(plain) : plain.replace(SERVER, SERVER.replace('/', this.#prefix)));
      this.#documents.set(text, linked);
    }
    return { ...document, text: await linked };
  }

  #linked(page: string): string {
    return page.replace(LINK, `$1="${this.#prefix}/`);
  }
}

/** The prefix of a public address such as `https://example.com/licenses`; null if it has no path. */
export function pathPrefixOf(publicUrl: string | null): PathPrefix | null {
  const path = publicUrl === null ? '/' : new URL(publicUrl).pathname;
  return path === '/' ? null : new PathPrefix(path);
}
