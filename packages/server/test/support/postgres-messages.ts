/** The messages of PostgreSQL's protocol, for servers of tests that stand in front of a real one. */

/** A message with its head. */
export interface Message {
  /** A letter, or `startup` for a message without a type. */
  readonly type: string;
  readonly whole: Buffer;
}

/** Messages cut from the bytes of one direction. */
export class Messages {
  /** The bytes of a message that is not complete. */
  #pieces: Buffer[] = [];
  #size = 0;
  /** Bytes until which nothing is complete. */
  #needed = 0;
  #startsWithType: boolean;

  /** @param startsWithType false if the first message has a length and no type, as the first one of a client has */
  constructor(startsWithType: boolean) {
    this.#startsWithType = startsWithType;
  }

  /** The messages that these bytes complete. */
  *cut(bytes: Buffer): Generator<Message> {
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#size < this.#needed) return;
    let rest = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces);
    for (;;) {
      const head = this.#startsWithType ? 1 : 0;
      this.#needed = rest.length < head + 4 ? head + 4 : head + rest.readInt32BE(head);
      if (rest.length < this.#needed) break;
      const whole = rest.subarray(0, this.#needed);
      rest = rest.subarray(this.#needed);
      this.#startsWithType = true;
      yield { type: head === 1 ? String.fromCharCode(whole[0]!) : 'startup', whole };
    }
    this.#pieces = [rest];
    this.#size = rest.length;
  }

  /** The next message is a first one again. */
  beginAgain(): void {
    this.#startsWithType = false;
  }
}

/** A message with this type and body. */
export function messageOf(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
