/** A proxy in front of a database server, so that tests can cut its connections. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class BrokenLine {
  /** The server's URL, through this line. */
  readonly url: string;
  readonly #server: Server;
  readonly #ends = new Set<Socket>();
  /** How often somebody has connected, or tried to. */
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(url);
    through.port = String((server.address() as { port: number }).port);
    const line = new BrokenLine(through.href, server);
    server.on('connection', (near) => line.#join(near, Number(target.port)));
    return line;
  }

  /** Ends all connections, and every new one at once. */
  cut(): void {
    this.#isCut = () => true;
    for (const end of this.#ends) end.destroy();
  }

  /** Lets nothing more through in either direction, on new connections neither, and closes none: all of it waits. */
  silence(): void {
    this.#isSilent = true;
    for (const end of this.#ends) end.pause();
  }

  /** Lets connections through again, and what waited on them. */
  mend(): void {
    this.#isCut = () => false;
    this.#isSilent = false;
    for (const end of this.#ends) end.resume();
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#ends.size / 2;
  }

  /** Lets a text through to the server, and nothing after it: see {@link silence}. */
  silenceBehind(text: string): void {
    this.#silenceBehind = text;
  }

  /** Cuts a connection once it has sent what contains a text, before the answer; the next ones go through. */
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
      // What was sent arrives; what the server says to it does not.
      far.removeAllListeners('data');
      far.resume();
      far.end();
      near.destroy();
    });
    if (this.#isSilent) for (const end of [near, far]) end.pause();
  }
}
