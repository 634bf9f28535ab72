/**
 * A receiver of events in its own process: an HTTPS server with several addresses and one port. It checks every
 * signature and remembers the requests of each path.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { listen } from './listen.ts';
import type { ArrivedEvent, Behaviour, FromReceiver, PathReport, ToReceiver } from './receiver-messages.ts';

const secrets = new Map<string, Buffer>();
const behaviours = new Map<string, Behaviour>();
const paths = new Map<string, Arrivals>();
/** Answers kept back, by path. */
let held: { readonly path: string; readonly answer: () => void }[] = [];
let open = 0;
/** Every path. */
const ANY = '*';

/** Arrivals at one path. */
class Arrivals {
  requests = 0;
  unverified = 0;
  readonly events = new Map<string, { -readonly [Key in keyof ArrivedEvent]: ArrivedEvent[Key] }>();
  readonly #latest = new Map<string, number>();
  #disordered = 0;
  #delays: number[] = [];
  #firstAt = 0;
  #lastAt = 0;

  add(body: string): void {
    const at = Date.now();
    const { id, type, timestamp, data } = JSON.parse(body);
    this.#firstAt ||= at;
    this.#lastAt = at;
    const known = this.events.get(id);
    if (known !== undefined) {
      known.repeats += 1;
      return;
    }
    const license: string | null = data.license?.ref ?? null;
    this.events.set(id, { id, type, license, number: data.number, at, repeats: 0 });
    this.#delays.push(at - Date.parse(timestamp));
    if (license === null) return;
    const latest = this.#latest.get(license) ?? 0;
    if (data.number < latest) this.#disordered += 1;
    this.#latest.set(license, Math.max(latest, data.number));
  }

  report(): PathReport {
    const sorted = this.#delays.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return {
      ...{ requests: this.requests, connections, unverified: this.unverified, events: this.events.size },
      ...{ disordered: this.#disordered, firstAt: this.#firstAt, lastAt: this.#lastAt },
      delayMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
    };
  }
}

const arrivalsAt = (path: string) => {
  const found = paths.get(path) ?? new Arrivals();
  paths.set(path, found);
  return found;
};
const isDown = (path: string) => (behaviours.get(path) ?? behaviours.get(ANY))?.isDown === true;

function isSigned(path: string, body: string, { headers }: IncomingMessage): boolean {
  const secret = secrets.get(path);
  if (secret === undefined) return true;
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', secret).update(signed).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((each) => {
      const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

function take(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { status = 204, delayMs = 0, isHeld = false } = behaviours.get(path) ?? behaviours.get(ANY) ?? {};
    const arrivals = arrivalsAt(path);
    arrivals.requests += 1;
    const body = Buffer.concat(chunks).toString();
    if (!isSigned(path, body, request)) arrivals.unverified += 1;
    else if (status < 300 && !isDown(path)) arrivals.add(body);
    if (isDown(path)) return void response.destroy();
    const answer = () => response.writeHead(status).end();
    if (isHeld) held.push({ path, answer });
    else if (delayMs === 0) answer();
    else setTimeout(answer, delayMs);
  });
}

let connections = 0;
async function start(addresses: readonly string[], cert: string, key: string): Promise<number> {
  let port = 0;
  for (const address of addresses) {
    const server = createServer({ cert, key }, take);
    server.on('connection', (socket: Socket) => {
      connections += 1;
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
      if (behaviours.get(ANY)?.isDown === true) socket.destroy();
    });
    server.on('tlsClientError', () => {});
    server.on('clientError', (_error, socket) => socket.destroy());
    port = await listen(server, address, port);
  }
  return port;
}

const say = (message: FromReceiver) => process.send!(message);
process.on('message', async (message: ToReceiver) => {
  switch (message.kind) {
    case 'start':
      return say({ kind: 'listening', port: await start(message.addresses, message.cert, message.key) });
    case 'secret':
      secrets.set(message.path, Buffer.from(message.secret.replace(/^whsec_/, ''), 'base64'));
      return say({ kind: 'done' });
    case 'behave': {
      behaviours.set(message.path, message.behaviour);
      const isOf = ({ path }: { path: string }) => message.path === ANY || message.path === path;
      const released = message.behaviour.isHeld === true ? [] : held.filter(isOf);
      held = held.filter((each) => !released.includes(each));
      for (const { answer } of released) answer();
      return say({ kind: 'done' });
    }
    case 'forget':
      paths.delete(message.path);
      if (message.path === ANY) paths.clear();
      connections = 0;
      return say({ kind: 'done' });
    case 'count': {
      const events = arrivalsAt(message.path).events.size;
      return say({ kind: 'count', count: { events, held: held.length, open } });
    }
    case 'among': {
      const { events } = arrivalsAt(message.path);
      return say({ kind: 'among', ids: message.ids.filter((id) => events.has(id)) });
    }
    case 'report':
      return say({ kind: 'report', report: arrivalsAt(message.path).report() });
    case 'arrived':
      return say({ kind: 'arrived', events: [...arrivalsAt(message.path).events.values()] });
  }
});
// The parent is gone, so end by itself.
process.on('disconnect', () => process.exit(0));
