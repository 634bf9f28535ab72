/**
 * A pooler in front of PostgreSQL that behaves as PgBouncer does: it drops the settings sent with a new connection,
 * reports a process number of its own, and assigns a session to a connection for its lifetime or for one transaction.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from './listen.ts';
import { Messages, messageOf } from './postgres-messages.ts';

/** Duration for which a connection keeps its session of PostgreSQL. */
export type PoolMode = 'session' | 'transaction';

function startup(parameters: Readonly<Record<string, string>>): Buffer {
  const body = Object.entries(parameters).flat();
  const text = Buffer.from(`${body.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(text.length + 8);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
}

/** A session of PostgreSQL that is assigned to a client for a while. */
class Session {
  readonly socket: Socket;
  /** The connection that uses it, if any. */
  client: Socket | null = null;
  /** Requests whose ReadyForQuery has not come. */
  waiting = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Signs in with a password in clear text, as the servers of tests want it. */
  static async open(url: URL, released: (session: Session) => void): Promise<Session> {
    const session = new Session(connect(Number(url.port), url.hostname));
    const { socket } = session;
    socket.on('error', () => {});
    socket.write(startup({ user: url.username, database: url.pathname.slice(1) }));
    const ready = Promise.withResolvers<void>();
    let isReady = false;
    const messages = new Messages(true);
    socket.on('data', (bytes: Buffer) => {
      for (const { type, whole } of messages.cut(bytes)) {
        if (!isReady) {
          if (type === 'R' && whole.readInt32BE(5) === 3)
            socket.write(messageOf('p', Buffer.from(`${decodeURIComponent(url.password)}\0`)));
          if (type === 'Z') ready.resolve();
          isReady = type === 'Z';
          continue;
        }
        session.client?.write(whole);
        if (type !== 'Z') continue;
        session.waiting -= 1;
        if (session.waiting === 0 && String.fromCharCode(whole[5]!) === 'I') released(session);
      }
    });
    await ready.promise;
    return session;
  }
}

/** See the head of this file. */
export class Pooler {
  /** The server's URL, through this pooler. */
  readonly url: string;
  readonly #target: URL;
  readonly #mode: PoolMode;
  readonly #server: Server;
  readonly #sessions = new Set<Session>();
  /** Unused sessions, in the order in which they were returned. */
  readonly #idle: Session[] = [];

  private constructor(url: URL, target: URL, mode: PoolMode, server: Server) {
    this.url = url.href;
    this.#target = target;
    this.#mode = mode;
    this.#server = server;
  }

  static async to(url: string, mode: PoolMode): Promise<Pooler> {
    const server = createServer();
    const through = new URL(url);
    through.port = String(await listen(server));
    const pooler = new Pooler(through, new URL(url), mode, server);
    server.on('connection', (client) => pooler.#serve(client));
    return pooler;
  }

  async close(): Promise<void> {
    for (const { socket, client } of this.#sessions) {
      socket.destroy();
      client?.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Socket): void {
    client.on('error', () => {});
    const messages = new Messages(false);
    let session: Session | undefined;
    let asked: Promise<void> = Promise.resolve();
    const forward = async (type: string, whole: Buffer) => {
      if (type === 'startup') {
        // AuthenticationOk, BackendKeyData with a number that belongs to no process, ReadyForQuery.
        client.write(messageOf('R', Buffer.alloc(4)));
        client.write(messageOf('K', Buffer.from('7fffffff00000000', 'hex')));
        client.write(messageOf('Z', Buffer.from('I')));
        return;
      }
      if (type === 'X') return void client.end();
      if (session?.client !== client) session = await this.#take(client);
      // The server replies to Sync and to a simple query with ReadyForQuery.
      if (type === 'S' || type === 'Q') session.waiting += 1;
      session.socket.write(whole);
    };
    client.on('data', (bytes: Buffer) => {
      for (const { type, whole } of messages.cut(bytes)) asked = asked.then(() => forward(type, whole));
    });
    client.on('close', () => {
      // No other client gets the session state that this one leaves behind.
      if (session?.client !== client) return;
      session.socket.destroy();
      this.#sessions.delete(session);
    });
  }

  async #take(client: Socket): Promise<Session> {
    const session =
      this.#idle.shift() ??
      (await Session.open(this.#target, (released) => {
        if (this.#mode === 'session') return;
        released.client = null;
        this.#idle.push(released);
      }));
    this.#sessions.add(session);
    session.client = client;
    return session;
  }
}
