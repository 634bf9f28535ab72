/** A raw connection, for requests that an HTTP client would not send: it sends bytes as given and reads the replies. */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Answer } from '../../support/app.ts';

export class Wire {
  readonly #socket: Socket;
  /** Resolves when the connection has ended, for any reason. */
  readonly closed: Promise<void>;
  #chunks: Buffer[] = [];
  #length = 0;
  #isClosed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve();
      });
    });
    socket.on('error', () => {
      // A connection that breaks is closed next.
    });
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
  }

  /** Connects to 127.0.0.1, with TLS by default. `allowHalfOpen`: stays open when the service has ended its side. */
  static open(port: number, { tls = true, allowHalfOpen = false } = {}): Promise<Wire> {
    const address = { host: '127.0.0.1', port, allowHalfOpen };
    return new Promise((resolve, reject) => {
      const socket: Socket = tls
        ? connectTls({ ...address, rejectUnauthorized: false }, () => resolve(new Wire(socket)))
        : connectPlain(address, () => resolve(new Wire(socket)));
      socket.once('error', reject);
    });
  }

  /** Opens a connection, writes, reads one reply and closes it. */
  static async exchange(port: number, bytes: string | Buffer, options: { tls?: boolean } = {}): Promise<Answer> {
    const wire = await Wire.open(port, options);
    wire.write(bytes);
    const answer = await wire.answer();
    wire.end();
    return answer;
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  end(): void {
    this.#socket.destroy();
  }

  /** Reads nothing more from the connection until `resume`, so that replies pile up in it. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends its own side, and continues to read. */
  finishWriting(): void {
    this.#socket.end();
  }

  /**
   * The next reply.
   *
   * @param request.method HEAD when the reply has no body although its headers announce one
   * @throws when the connection ends before there is one
   */
  async answer({ method = 'GET' } = {}): Promise<Answer> {
    const separator = await this.#until(() => {
      const index = this.#received().indexOf('\r\n\r\n');
      return index === -1 ? undefined : index;
    });
    const [statusLine = '', ...lines] = this.#received().subarray(0, separator).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const start = separator + 4;
    const end = start + (method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0));
    await this.#until(() => (this.#length >= end ? end : undefined));
    const text = this.#received().subarray(start, end).toString();
    this.#chunks = [this.#received().subarray(end)];
    this.#length -= end;
    const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
    return { status: Number(statusLine.split(' ')[1]), headers, body: isJson ? JSON.parse(text) : text };
  }

  /** The bytes received and not yet read, in one piece; joined only on demand, because replies may be large. */
  #received(): Buffer {
    const joined = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  async #until<T>(found: () => T | undefined): Promise<T> {
    for (;;) {
      const value = found();
      if (value !== undefined) return value;
      if (this.#isClosed) {
        const rest = this.#received().subarray(0, 1000).toString();
        throw new Error(`the connection ended after ${JSON.stringify(rest)}`);
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** The next `count` replies of a connection. */
export async function answersOf(wire: Wire, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await wire.answer());
  return answers;
}

/** A request as bytes, by default a POST with a JSON body. `headers` are lines. */
export function requestBytes(
  path: string,
  body: string | Buffer = '',
  { method = 'POST', headers = [] }: { method?: string; headers?: readonly string[] } = {},
): Buffer {
  const content = Buffer.from(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(content.length > 0 ? ['Content-Type: application/json', `Content-Length: ${content.length}`] : []),
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}
