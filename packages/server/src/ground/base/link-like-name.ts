/** Names in the head of an e-mail, which mail programs show as an address or turn into a link. */

/** An e-mail address, or an address of the web with its scheme or with `www.`. */
const ADDRESS = /@|:\/\/|\bwww\./iu;
/** Letters after a dot within a word. IDNA reads the ideographic full stop as a dot, too. */
const HOST = /[\p{L}\p{N}][.\u3002]\p{L}[\p{L}\p{N}-]/u;

/** True if a name contains an e-mail address or an address of the web. */
export function holdsAddress(name: string): boolean {
  return ADDRESS.test(name.normalize('NFKC'));
}

/** True if a name contains a word that reads as a host, such as `example.com`. `Node.js` does as well. */
export function holdsHost(name: string): boolean {
  return HOST.test(name.normalize('NFKC'));
}
