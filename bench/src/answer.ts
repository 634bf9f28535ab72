/** Finds where an HTTP/1.1 answer ends, with as little work per answer as possible. */

const LENGTH_HEADER = Buffer.from('content-length: ', 'latin1');
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const ZERO = 48;
/** Set in every small ASCII letter, and without effect on the colon, hyphen and blank of {@link LENGTH_HEADER}. */
const SMALL_LETTER_BIT = 0x20;

/**
 * Frames the answers of one server. Servers send the same head over and over, so the places of the content length and
 * of the head's end are remembered and only looked at again; where they do not fit, the head is searched.
 */
export class AnswerFramer {
  /** The status code of the answer framed last. */
  status = 0;
  /** Where its body begins. */
  bodyStart = 0;
  /** Where it ends. */
  end = 0;
  /** Where the digits of the content length began in the answer before. */
  #digitsStart = 0;
  /** From behind those digits to the body. */
  #tailLength = 0;

  /**
   * Whether `bytes`, up to `length`, hold one whole answer; if so, the fields of this object describe it.
   *
   * @throws when it is not an answer with a content length
   */
  frame(bytes: Buffer, length: number): boolean {
    if (!this.#fits(bytes, length) && !this.#search(bytes, length)) return false;
    this.status = (bytes[9]! - ZERO) * 100 + (bytes[10]! - ZERO) * 10 + (bytes[11]! - ZERO);
    return this.end <= length;
  }

  /** Tries the remembered places. The head's end is as far behind the digits as before, however many digits there are. */
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
