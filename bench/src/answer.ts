/** Finds the end of an HTTP/1.1 response, with as little work per response as possible. */

const LENGTH_HEADER = Buffer.from('content-length: ', 'latin1');
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const ZERO = 48;
/** Set in every lower-case ASCII letter; no effect on the colon, hyphen and space of {@link LENGTH_HEADER}. */
const SMALL_LETTER_BIT = 0x20;

/**
 * Frames the responses of one server. Servers send the same head again and again, so the framer remembers the positions
 * of the content length and of the end of the head and only checks them. If they do not match, it searches the head.
 */
export class AnswerFramer {
  /** Status code of the last framed response. */
  status = 0;
  /** Offset of its body. */
  bodyStart = 0;
  /** Offset of its end. */
  end = 0;
  /** Offset of the digits of the content length in the previous response. */
  #digitsStart = 0;
  /** Distance from the end of those digits to the body. */
  #tailLength = 0;

  /**
   * Whether `bytes`, up to `length`, hold one whole response; if so, the fields of this object describe it.
   *
   * @throws if it is not a response with a content length
   */
  frame(bytes: Buffer, length: number): boolean {
    if (!this.#fits(bytes, length) && !this.#search(bytes, length)) return false;
    this.status = (bytes[9]! - ZERO) * 100 + (bytes[10]! - ZERO) * 10 + (bytes[11]! - ZERO);
    return this.end <= length;
  }

  /**
   * Tries the remembered positions. The distance from the digits to the end of the head stays the same for any number
   * of digits.
   */
  #fits(bytes: Buffer, length: number): boolean {
    let at = this.#digitsStart;
    if (at === 0 || at >= length) return false;
    for (let back = 1; back <= LENGTH_HEADER.length; back += 1) {
      if ((bytes[at - back]! | SMALL_LETTER_BIT) !== LENGTH_HEADER[LENGTH_HEADER.length - back]) return false;
    }
    let bodyLength = 0;
    while (at < length && bytes[at] !== CARRIAGE_RETURN) {
      bodyLength = bodyLength * 10 + bytes[at]! - ZERO;
      at += 1;
    }
    const bodyStart = at + this.#tailLength;
    if (bodyStart > length || !isHeadEnd(bytes, bodyStart)) return false;
    this.bodyStart = bodyStart;
    this.end = bodyStart + bodyLength;
    return true;
  }

  #search(bytes: Buffer, length: number): boolean {
    const headLength = bytes.subarray(0, length).indexOf('\r\n\r\n');
    if (headLength < 0) return false;
    const head = bytes.toString('latin1', 0, headLength);
    const found = /\r\ncontent-length: (\d+)/i.exec(head);
    if (!/^HTTP\/1\.1 \d{3}/.test(head) || found === null) {
      throw new Error(`not an answer with a content length: ${JSON.stringify(head.slice(0, 200))}`);
    }
    const digits = found[1]!;
    const digitsEnd = found.index + found[0].length;
    this.#digitsStart = digitsEnd - digits.length;
    this.bodyStart = headLength + 4;
    this.#tailLength = this.bodyStart - digitsEnd;
    this.end = this.bodyStart + Number(digits);
    return true;
  }
}

function isHeadEnd(bytes: Buffer, bodyStart: number): boolean {
  return (
    bytes[bodyStart - 4] === CARRIAGE_RETURN &&
    bytes[bodyStart - 3] === LINE_FEED &&
    bytes[bodyStart - 2] === CARRIAGE_RETURN &&
    bytes[bodyStart - 1] === LINE_FEED
  );
}
