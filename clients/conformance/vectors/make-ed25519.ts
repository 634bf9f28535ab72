/**
 * Writes ed25519.json: `node clients/conformance/vectors/make-ed25519.ts`. The arithmetic is that of RFC 8032, so that
 * cases can be made which no library signs.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rfc8032 } from './rfc8032.ts';

type Point = readonly [bigint, bigint];

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const modulo = (a: bigint, m = P) => ((a % m) + m) % m;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = modulo(base), left = exponent; left > 0n; left >>= 1n, square = modulo(square * square))
    if (left & 1n) result = modulo(result * square);
  return result;
}

const inverse = (a: bigint) => power(a, P - 2n);
const D = modulo(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);
const NOTHING: Point = [0n, 1n];

function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const product = modulo(D * x1 * x2 * y1 * y2);
  return [modulo((x1 * y2 + x2 * y1) * inverse(1n + product)), modulo((y1 * y2 + x1 * x2) * inverse(1n - product))];
}

function times(scalar: bigint, point: Point): Point {
  let result = NOTHING;
  for (let double = point, left = scalar; left > 0n; left >>= 1n, double = add(double, double))
    if (left & 1n) result = add(result, double);
  return result;
}

/** The point with this y and an even x; null if there is none. */
function pointAt(y: bigint): Point | null {
  const square = modulo((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (modulo(x * x) !== square) x = modulo(x * ROOT_OF_MINUS_ONE);
  if (modulo(x * x) !== square) return null;
  return [x & 1n ? P - x : x, modulo(y)];
}

const BASE = pointAt(modulo(4n * inverse(5n))) as Point;

const bytesOf = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse() as Buffer;
const numberOf = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const encoded = ([x, y]: Point): Buffer => bytesOf(y | ((x & 1n) << 255n));
const sha512 = (...parts: readonly Buffer[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest();
const challenge = (r: Buffer, key: Buffer, message: Buffer) => modulo(numberOf(sha512(r, key, message)), L);

interface Case {
  readonly name: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  readonly result: 'valid' | 'invalid' | 'either';
}
const cases: Case[] = [];

function put(name: string, result: Case['result'], key: Buffer, message: Buffer, signature: Buffer): void {
  const [publicKey, text, signed] = [key, message, signature].map((bytes) => bytes.toString('hex'));
  cases.push({ name, publicKey, message: text, signature: signed, result } as Case);
}

/** The secret scalar and the key of a seed, and a signature by them. */
function signer(seed: string) {
  const digest = sha512(createHash('sha256').update(seed).digest());
  const scalar = (numberOf(digest.subarray(0, 32)) & (2n ** 254n - 8n)) | (2n ** 254n);
  const key = encoded(times(scalar, BASE));
  const sign = (message: Buffer, publicKey = key, r = modulo(numberOf(sha512(digest.subarray(32), message)), L)) => {
    const point = encoded(times(r, BASE));
    return Buffer.concat([point, bytesOf(modulo(r + challenge(point, publicKey, message) * scalar, L))]);
  };
  return { scalar, key, sign };
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

for (const { name, publicKey, message, signature } of rfc8032)
  put(
    `RFC 8032, ${name}`,
    'valid',
    ...([publicKey, message, signature].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer, Buffer]),
  );

const { key, scalar, sign } = signer('latchkey');
const text = Buffer.from('The quick brown fox licenses the lazy dog.');
const good = sign(text);
for (const length of [0, 1, 47, 63, 64, 111, 112, 127, 128, 129, 300])
  put(`a message of ${length} bytes`, 'valid', key, Buffer.alloc(length, 'ab'), sign(Buffer.alloc(length, 'ab')));

for (const bit of [0, 7, 100, 254, 255, 256, 300, 400, 500, 507, 508, 509, 510, 511])
  put(`bit ${bit} of the signature is flipped`, 'invalid', key, text, flipped(good, bit));
for (const bit of [0, 8, 100, 254, 255])
  put(`bit ${bit} of the key is flipped`, 'invalid', flipped(key, bit), text, good);
for (const bit of [0, 9, 8 * text.length - 1])
  put(`bit ${bit} of the message is flipped`, 'invalid', key, flipped(text, bit), good);
put('the message lacks its last byte', 'invalid', key, text.subarray(0, -1), good);
put('the message has a byte more', 'invalid', key, Buffer.concat([text, Buffer.alloc(1)]), good);
put('the signature is of another key', 'invalid', signer('another').key, text, good);
put('the signature has 63 bytes', 'invalid', key, text, good.subarray(0, 63));
put('the signature has 65 bytes', 'invalid', key, text, Buffer.concat([good, Buffer.alloc(1)]));
put('the signature is empty', 'invalid', key, text, Buffer.alloc(0));
put('the key has 31 bytes', 'invalid', key.subarray(0, 31), text, good);
put('the key has 33 bytes', 'invalid', Buffer.concat([key, Buffer.alloc(1)]), text, good);

const [r, s] = [good.subarray(0, 32), numberOf(good.subarray(32))];
for (const [name, other] of [
  ['S plus L', s + L],
  ['S plus 8 L', s + 8n * L],
  ['L', L],
  ['2^253', 2n ** 253n],
  ['2^256 - 1', 2n ** 256n - 1n],
  ['zero', 0n],
  ['L - S', L - s],
] as const)
  put(`S is ${name}`, 'invalid', key, text, Buffer.concat([r, bytesOf(other)]));
put('R and S are swapped', 'invalid', key, text, Buffer.concat([good.subarray(32), r]));
put('the signature is all zeros', 'invalid', key, text, Buffer.alloc(64));
put('R is no point', 'invalid', key, text, Buffer.concat([bytesOf(2n), good.subarray(32)]));
put('the key is no point', 'invalid', bytesOf(2n), text, good);
put('the key is 2^255 - 1, no point', 'invalid', bytesOf(2n ** 255n - 1n), text, good);

/** A point of order 8, and its multiples: every point of small order. */
const eighth = (() => {
  for (let y = 2n; ; y++) {
    const point = pointAt(y);
    if (point === null) continue;
    const candidate = times(L, point);
    if (times(4n, candidate)[1] !== 1n) return candidate;
  }
})();
const messages = Array.from({ length: 64 }, (_, index) => Buffer.from(`message ${index}`));

/** With a key of small order one pair of R and S is good for every eighth message, or for all. */
for (let multiple = 0n; multiple < 8n; multiple++) {
  const small = times(multiple, eighth);
  const point = encoded(times(12345n, BASE));
  const match = messages.find(
    (message) =>
      times(challenge(point, encoded(small), message) % 8n, small)[1] === 1n &&
      modulo(challenge(point, encoded(small), message), 8n) === 0n,
  );
  put(
    `the key is a point of small order, ${multiple} eighths`,
    'either',
    encoded(small),
    match!,
    Buffer.concat([point, bytesOf(12345n)]),
  );
}
{
  const point = encoded(times(12345n, BASE));
  const signature = Buffer.concat([point, bytesOf(12345n)]);
  put('the key is the neutral point, spelled with a sign', 'either', bytesOf(1n | (1n << 255n)), text, signature);
  put('the key is the neutral point, spelled as p + 1', 'either', bytesOf(P + 1n), text, signature);
  put('the key is p, a second spelling of zero', 'invalid', bytesOf(P), text, signature);
}

const neutral = encoded(NOTHING);
const forNothing = (spelling: Buffer) =>
  Buffer.concat([spelling, bytesOf(modulo(challenge(spelling, key, text) * scalar, L))]);
put('R is the neutral point', 'either', key, text, forNothing(neutral));
put('R is the neutral point, spelled as p + 1', 'invalid', key, text, forNothing(bytesOf(P + 1n)));
put('R is the neutral point, spelled with a sign', 'invalid', key, text, forNothing(bytesOf(1n | (1n << 255n))));

/** A key with a part of order 8: equal only after multiplication by 8, unless the challenge is a multiple of 8. */
const mixed = encoded(add(times(scalar, BASE), eighth));
for (const [name, result, isMultiple] of [
  ['is good only times eight', 'invalid', false],
  ['is good, as the challenge is a multiple of eight', 'valid', true],
] as const) {
  const message = messages.find((each) => {
    const rest = challenge(sign(each, mixed).subarray(0, 32), mixed, each) % 8n;
    return (rest === 0n) === isMultiple;
  });
  put(`the key has a part of small order, and the signature ${name}`, result, mixed, message!, sign(message!, mixed));
}

const about = 'README.md explains these. Bytes are hexadecimal.';
writeFileSync(new URL('ed25519.json', import.meta.url), `${JSON.stringify({ about, cases }, null, 2)}\n`);
