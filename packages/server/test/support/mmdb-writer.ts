/**
 * Writes IP-to-country databases for tests, in the MaxMind DB file format 2.0: a binary search tree over the bits of an
 * address, sixteen zero bytes, the records, a marker, and a map that describes the file.
 */
import { isIPv4 } from 'node:net';

/** Values that a record may hold. */
export type MmdbValue = string | Uint | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

/** An unsigned number and the width of its type in the file. */
interface Uint {
  readonly bits: 16 | 32 | 64;
  readonly number: number;
}

/** A tree node holds, for the bits 0 and 1, the next node, the offset of a record, or null for "nothing known". */
type Branch = Node | number | null;
type Node = [Branch, Branch];

const RECORD_BITS = 24;
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/**
 * @param ipVersion 4: a tree of 32 bits, IPv4 only; 6: one of 128 bits, with IPv4 under ::/96
 * @param records the data of each network, for example `{ '192.0.2.0/24': { country: { iso_code: 'DE' } } }`
 */
export function writeMmdb(ipVersion: 4 | 6, records: Readonly<Record<string, MmdbValue>>): Buffer {
  const root: Node = [null, null];
  const data: Buffer[] = [];
  let dataLength = 0;
  for (const [network, value] of Object.entries(records)) {
    const [address = '', prefix] = network.split('/');
    const padding = ipVersion === 6 && isIPv4(address) ? '0'.repeat(96) : '';
    insert(root, padding + addressBits(address).slice(0, Number(prefix)), dataLength);
    const encoded = encode(value);
    data.push(encoded);
    dataLength += encoded.length;
  }
  const nodes = collect(root);
  const metadata = encode({
    binary_format_major_version: { bits: 16, number: 2 },
    binary_format_minor_version: { bits: 16, number: 0 },
    build_epoch: { bits: 64, number: 1_767_225_600 },
    database_type: 'Test-Country',
    description: { en: 'countries for tests' },
    ip_version: { bits: 16, number: ipVersion },
    languages: ['en'],
    node_count: { bits: 32, number: nodes.length },
    record_size: { bits: 16, number: RECORD_BITS },
  });
  return Buffer.concat([...nodes.map((node) => encodeNode(node, nodes)), Buffer.alloc(16), ...data, MARKER, metadata]);
}

function insert(root: Node, bits: string, offset: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = Number(bit) as 0 | 1;
    const next = node[side];
    if (typeof next === 'number') throw new Error('a network lies within another');
    const child: Node = next ?? [null, null];
    node[side] = child;
    node = child;
  }
  node[Number(bits.at(-1)) as 0 | 1] = offset;
}

/** Every node of the tree, the root first. A node's number in the file is its place here. */
function collect(root: Node): Node[] {
  const nodes = [root];
  // The list grows during the loop.
  for (const node of nodes) nodes.push(...node.filter((branch): branch is Node => Array.isArray(branch)));
  return nodes;
}

function encodeNode(node: Node, nodes: readonly Node[]): Buffer {
  const bytes = Buffer.alloc((RECORD_BITS * 2) / 8);
  for (const [side, branch] of node.entries()) {
    const pointer =
      branch === null ? nodes.length : typeof branch === 'number' ? nodes.length + 16 + branch : nodes.indexOf(branch);
    bytes.writeUIntBE(pointer, (side * RECORD_BITS) / 8, RECORD_BITS / 8);
  }
  return bytes;
}

/** One value: a byte for type and size (types from 8 up take a second byte, sizes from 29 up too), then its content. */
function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  if (isList(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  if (isUint(value)) {
    const digits = value.number.toString(16);
    const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
    return Buffer.concat([control({ 16: 5, 32: 6, 64: 9 }[value.bits], bytes.length), bytes]);
  }
  const entries = Object.entries(value).flatMap(([key, held]) => [encode(key), encode(held)]);
  return Buffer.concat([control(7, entries.length / 2), ...entries]);
}

function control(type: number, size: number): Buffer {
  if (size >= 285) throw new Error('too long for a test');
  const sizeBits = Math.min(size, 29);
  const typeBytes = type < 8 ? [(type << 5) | sizeBits] : [sizeBits, type - 7];
  return Buffer.from(size < 29 ? typeBytes : [...typeBytes, size - 29]);
}

function isList(value: MmdbValue): value is readonly MmdbValue[] {
  return Array.isArray(value);
}

function isUint(value: MmdbValue): value is Uint {
  return typeof value === 'object' && 'bits' in value;
}

/** The 32 or 128 bits of an address, as text of zeros and ones. */
function addressBits(address: string): string {
  if (isIPv4(address))
    return address
      .split('.')
      .map((byte) => Number(byte).toString(2).padStart(8, '0'))
      .join('');
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}
