/** A real name server (RFC 1035) over UDP for the names of a test. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const IS_ANSWER = 0x8180;

export interface NameServer {
  /** Its address with the port, as the service takes it. */
  readonly address: string;
  /** Addresses by name. A name with several lists answers them in turn, and then the last one. */
  readonly zone: Map<string, readonly (readonly string[])[]>;
  /** Look-ups of the IPv4 addresses of each name; those of other types under the name and the number of the type. */
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
    const answers = answersTo(name, type);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(IS_ANSWER, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    const question = query.subarray(HEADER_BYTES, end + 4);
    socket.send(Buffer.concat([header, question, ...answers.map(recordOf)]), port, address);
  });
  const answersTo = (name: string, type: number) => {
    // Each type takes its own turns, because a look-up asks for both.
    const question = type === TYPE_A ? name : `${name} ${type}`;
    const turn = asked.get(question) ?? 0;
    asked.set(question, turn + 1);
    const lists = zone.get(name) ?? [];
    const addresses = lists[Math.min(turn, lists.length - 1)] ?? [];
    return addresses.filter((address) => typeOf(address) === type);
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

function typeOf(address: string): number {
  return address.includes(':') ? TYPE_AAAA : TYPE_A;
}

/** A record for the name of the question, with a lifetime of 0. */
function recordOf(address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray();
  return Buffer.from([0xc0, HEADER_BYTES, 0, typeOf(address), 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}
