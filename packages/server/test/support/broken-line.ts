/** A proxy in front of a database server, so that tests can cut its connections. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from './listen.ts';

export class BrokenLine {
  /** The server's URL, through this line. */
  readonly url: string;
  readonly #server: Server;
  readonly #ends = new Set<Socket>();
  /** Number of connections, including failed attempts. */
  attempts = 0;
  #isCut: () => boolean = () => false;
  #cutBehind: string | undefined;
  #silenceBehind: string | undefined;
  #isSilent = false;

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  /** Opens a line that works. */
  static async to(url: string): Promise<BrokenLine> {
    const target = new URL(url);
    const server = createServer();
    const through = new URL(url);
    through.port = String(await listen(server));
    const line = new BrokenLine(through.href, server);
    server.on('connection', (near) => line.#join(near, Number(target.port)));
    return line;
  }

  /** Ends all connections, and every new one at once. */
  cut(): void {
    this.#isCut = () => true;
    for (const end of this.#ends) end.destroy();
  }

  /** Holds all bytes in either direction, also on new connections, and closes none. */
  silence(): void {
    this.#isSilent = true;
    for (const end of this.#ends) end.pause();
  }

  /** Lets connections through again, including bytes held back meanwhile. */
  mend(): void {
    this.#isCut = () => false;
    this.#isSilent = false;
    for (const end of this.#ends) end.resume();
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#ends.size / 2;
  }

  /** Lets a text through to the server, and nothing after it: see {@link silence}. */
  silenceBehind(text: string): void {
    this.#silenceBehind = text;
  }

  /**
   * Cuts a connection once it has sent a text that contains this one, before the reply; later connections go through.
   */
  cutBehind(text: string): void {
    this.#cutBehind = text;
  }

  /** Cuts and closes. */
  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, port: number): void {
    this.attempts += 1;
    if (this.#isCut()) {
      near.on('error', () => {});
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#ends.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        this.#ends.delete(end);
        other.destroy();
      });
    }
    far.on('data', (bytes) => near.write(bytes));
    near.on('data', (bytes) => {
      far.write(bytes);
      if (this.#silenceBehind !== undefined && bytes.includes(this.#silenceBehind)) {
        this.#silenceBehind = undefined;
        this.silence();
      }
      if (this.#cutBehind === undefined || !bytes.includes(this.#cutBehind)) return;
      this.#cutBehind = undefined;
      // Bytes already sent arrive; the server's reply does not.
      far.removeAllListeners('data');
      far.resume();
      far.end();
      near.destroy();
    });
    if (this.#isSilent) for (const end of [near, far]) end.pause();
  }
}
