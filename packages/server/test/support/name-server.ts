/** A real name server (RFC 1035) over UDP for the names of a test. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const IS_ANSWER = 0x8180;

export interface NameServer {
  /** Its address with the port, as the service takes it. */
  readonly address: string;
  /** IPv4 addresses by name; a name with several lists answers them in turn, and then the last one. */
  readonly zone: Map<string, readonly (readonly string[])[]>;
  /** How often the IPv4 addresses of each name were asked for. */
  readonly asked: Map<string, number>;
  close(): void;
}

/** Starts a name server on this machine. */
export async function startNameServer(): Promise<NameServer> {
  const zone: NameServer['zone'] = new Map();
  const asked: NameServer['asked'] = new Map();
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    const answers = type === TYPE_A ? answersTo(name) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(IS_ANSWER, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    const question = query.subarray(HEADER_BYTES, end + 4);
    socket.send(Buffer.concat([header, question, ...answers.map(recordOf)]), port, address);
  });
  const answersTo = (name: string) => {
    const turn = asked.get(name) ?? 0;
    asked.set(name, turn + 1);
    const lists = zone.get(name) ?? [];
    return lists[Math.min(turn, lists.length - 1)] ?? [];
  };
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, zone, asked, close: () => socket.close() };
}

/** The name of the question, and where it ends. */
function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let place = HEADER_BYTES;
  for (let length = query[place] ?? 0; length > 0; length = query[place] ?? 0) {
    labels.push(query.toString('latin1', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: place + 1 };
}

/** A record of type A for the name of the question, for no time. */
function recordOf(address: string): Buffer {
  return Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
}
