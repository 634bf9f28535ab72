/**
 * A rehearsal of another engine: a proxy in front of a real PostgreSQL. It refuses the statements that the documents of
 * the engine name as unsupported, with the engine's error codes, and refuses random statements of transactions with
 * 40001, as an engine does whose transactions conflict. It judges the sessions of Latchkey only, not those of tests.
 *
 * PostgreSQL itself fails a refused statement: the proxy sends it a text that it cannot parse, which leaves the session
 * in the state after an error, and replaces the error on its way back.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { randomOf } from '../faults/random.ts';
import { listen } from '../support/listen.ts';
import { type Message, Messages, messageOf } from '../support/postgres-messages.ts';
import { type DocumentedEngine, documentedEngines, type RehearsedEngine, refusalOf } from './documented-refusals.ts';

/** An error of the rehearsed engine. */
interface Verdict {
  readonly code: string;
  readonly message: string;
}

const CONFLICT: Verdict = { code: '40001', message: 'restart transaction: another transaction has changed these rows' };

/** The word by which the error of PostgreSQL for a refused statement is known. */
const MARK = 'refused_by_rehearsal_';

const SSL_REQUEST = 80_877_103;

/** See the head of this file. */
export class RefusingProxy {
  /** URL of the server through this proxy, with the parameter that names the engine. */
  readonly url: string;
  readonly #engine: DocumentedEngine;
  readonly #target: URL;
  readonly #server: Server;
  readonly #isAborted: () => boolean;
  readonly #sockets = new Set<Socket>();
  /** Refused statements, by the error's message. */
  readonly refused = new Map<string, number>();

  private constructor(url: URL, target: URL, server: Server, engine: DocumentedEngine, options: ProxyOptions) {
    this.url = url.href;
    this.#target = target;
    this.#server = server;
    this.#engine = engine;
    const random = randomOf(options.seed ?? 1);
    const abortShare = engine.abortsTransactions ? (options.abortShare ?? 0) : 0;
    this.#isAborted = () => random(2 ** 32) < abortShare * 2 ** 32;
  }

  /** @param url of the real server, without encryption */
  static async to(url: string, name: RehearsedEngine, options: ProxyOptions = {}): Promise<RefusingProxy> {
    const server = createServer({ noDelay: true });
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(await listen(server));
    server.unref();
    through.searchParams.set('engine', name);
    const proxy = new RefusingProxy(through, new URL(url), server, documentedEngines[name], options);
    server.on('connection', (client) => proxy.#serve(client));
    return proxy;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket): void {
    const server = connect({ port: Number(this.#target.port || 5432), host: this.#target.hostname, noDelay: true });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    const session = new Session(this.#engine, (verdict) => this.#count(verdict), this.#isAborted);
    const asked = new Messages(false);
    client.on('data', (bytes: Buffer) => {
      const forwarded: Buffer[] = [];
      for (const message of asked.cut(bytes)) {
        if (message.type === 'startup') {
          if (message.whole.readInt32BE(4) === SSL_REQUEST) {
            client.write('N');
            asked.beginAgain();
            continue;
          }
          const fault = session.begin(message.whole);
          if (fault !== null) {
            client.end(errorMessage('FATAL', fault));
            return;
          }
        }
        forwarded.push(...session.judge(message));
      }
      server.write(Buffer.concat(forwarded));
    });
    const answered = new Messages(true);
    server.on('data', (bytes: Buffer) => {
      client.write(Buffer.concat([...answered.cut(bytes)].map((message) => session.answer(message))));
    });
  }

  #count({ message }: Verdict): void {
    this.refused.set(message, (this.refused.get(message) ?? 0) + 1);
  }
}

/** Options of {@link RefusingProxy.to}. */
export interface ProxyOptions {
  /** The share of statements in transactions that are refused with 40001, from 0 to 1. */
  readonly abortShare?: number;
  readonly seed?: number;
}

/** The state of one connection. */
class Session {
  readonly #engine: DocumentedEngine;
  readonly #refused: (verdict: Verdict) => void;
  readonly #isAborted: () => boolean;
  readonly #verdicts: Verdict[] = [];
  /** The texts of prepared statements, by name. */
  readonly #texts = new Map<string, string>();
  #isJudged = false;
  #isInTransaction = false;
  /** Whether the transaction has run a statement; one without any conflicts with nothing. */
  #hasWorked = false;

  constructor(engine: DocumentedEngine, refused: (verdict: Verdict) => void, isAborted: () => boolean) {
    this.#engine = engine;
    this.#refused = refused;
    this.#isAborted = isAborted;
  }

  /** Reads the first message. Returns an error if the engine lets no session begin like this. */
  begin(whole: Buffer): Verdict | null {
    const words = whole.subarray(8).toString().split('\0');
    const parameters = new Map(
      words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])),
    );
    this.#isJudged = parameters.get('application_name') === 'latchkey';
    const unknown = this.#engine.unknownSettings?.exec(parameters.get('options') ?? '');
    if (!this.#isJudged || !unknown) return null;
    return { code: '42704', message: `unrecognized configuration parameter "${unknown[0]}"` };
  }

  /** The messages to send to PostgreSQL in place of one of the client. */
  judge({ type, whole }: Message): Buffer[] {
    if (type === 'Q') return this.#judgeQuery(whole);
    if (!this.#isJudged) return [whole];
    if (type === 'P') {
      const [name, text] = textsIn(whole, 5, 2);
      const refusal = refusalOf(this.#engine, text!, this.#isInTransaction);
      if (refusal !== undefined) return [parseMessage(this.#refuse(refusal))];
      this.#texts.set(name!, text!);
    } else if (type === 'B') {
      const [, name] = textsIn(whole, 5, 2);
      const text = (this.#texts.get(name!) ?? '').trim().toLowerCase();
      const mayConflict = this.#isInTransaction && this.#hasWorked && !text.startsWith('rollback');
      this.#follow(text);
      if (mayConflict && this.#isAborted()) return [parseMessage(this.#refuse(CONFLICT))];
    }
    return [whole];
  }

  #judgeQuery(whole: Buffer): Buffer[] {
    const [text = ''] = textsIn(whole, 5, 1);
    if (!this.#isJudged) {
      // Such an engine compares text by its bytes wherever nothing else is said.
      const [, name] = /^create database (\w+)$/.exec(text.trim()) ?? [];
      if (!this.#engine.comparesBytes || name === undefined) return [whole];
      return [queryMessage(`create database ${name} template template0 locale_provider libc locale 'C'`)];
    }
    const refusal = refusalOf(this.#engine, text, this.#isInTransaction);
    if (refusal !== undefined) return [queryMessage(this.#refuse(refusal))];
    this.#follow(text.trim().toLowerCase());
    return [whole];
  }

  #follow(text: string): void {
    this.#hasWorked = this.#isInTransaction;
    if (text.startsWith('begin')) this.#isInTransaction = true;
    else if (/^(commit|rollback|end)\b/.test(text)) this.#isInTransaction = false;
  }

  #refuse(verdict: Verdict): string {
    this.#refused(verdict);
    return MARK + (this.#verdicts.push(verdict) - 1);
  }

  /** The message to send to the client in place of one of PostgreSQL. */
  answer({ type, whole }: Message): Buffer {
    if (type !== 'E') return whole;
    const [, number] = new RegExp(`${MARK}(\\d+)`).exec(whole.toString()) ?? [];
    return number === undefined ? whole : errorMessage('ERROR', this.#verdicts[Number(number)]!);
  }
}

/** The texts in a message, each ended by a zero byte. */
function textsIn(whole: Buffer, offset: number, count: number): string[] {
  const texts: string[] = [];
  for (let from = offset; texts.length < count; ) {
    const end = whole.indexOf(0, from);
    texts.push(whole.toString('utf8', from, end));
    from = end + 1;
  }
  return texts;
}

const queryMessage = (text: string) => messageOf('Q', Buffer.from(`${text}\0`));
/** Parses an unnamed statement without parameters. */
const parseMessage = (text: string) => messageOf('P', Buffer.concat([Buffer.from(`\0${text}\0`), Buffer.alloc(2)]));
const errorMessage = (severity: string, { code, message: said }: Verdict) =>
  messageOf('E', Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${said}\0\0`));
