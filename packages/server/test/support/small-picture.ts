/**
 * Makes pictures of pages small: a PNG of a screen has few colours, so 256 of them look the same in a third of the
 * bytes.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** The length, name and checksum of a chunk. */
const CHUNK_BYTES = 12;
const MOST_COLOURS = 256;
/** Types of colour in a header: by an index, by three bytes, and by three bytes with an alpha. */
const [BY_INDEX, RGB, RGBA] = [3, 2, 6];

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB, row by row. */
  readonly colours: Uint32Array;
}

/**
 * The same picture in at most 256 colours. @param png as a browser makes it: 8 bits a channel, opaque, not interlaced
 */
export function smallPicture(png: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(png);
  const palette = paletteOf(colours);
  const indexes = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    const index = indexes.get(colour) ?? nearest(palette, colour).index;
    indexes.set(colour, index);
    // Each row begins with its filter: none.
    rows[at + Math.floor(at / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, BY_INDEX], 8);
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The colours by frequency, without those that are close to a more frequent one: as few as the palette takes. */
function paletteOf(colours: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const frequent = [...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour);
  for (let closest = 0; ; closest += 2) {
    const palette: number[] = [];
    for (const colour of frequent)
      if (palette.length === 0 || nearest(palette, colour).distance > closest) palette.push(colour);
    if (palette.length <= MOST_COLOURS) return palette;
  }
}

function nearest(palette: readonly number[], colour: number): { readonly index: number; readonly distance: number } {
  const [red, green, blue] = channelsOf(colour);
  let found = { index: 0, distance: Number.POSITIVE_INFINITY };
  for (const [index, other] of palette.entries()) {
    const [r, g, b] = channelsOf(other);
    const distance = Math.hypot(red - r, green - g, blue - b);
    if (distance < found.distance) found = { index, distance };
  }
  return found;
}

function channelsOf(colour: number): [red: number, green: number, blue: number] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function chunk(name: string, data: Buffer): Buffer {
  const made = Buffer.alloc(CHUNK_BYTES + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(name, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length);
  return made;
}

function pixelsOf(png: Buffer): Pixels {
  const data: Buffer[] = [];
  let [width, height, type] = [0, 0, 0];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR') [width, height, type] = [content.readUInt32BE(0), content.readUInt32BE(4), content[9]!];
    if (name === 'IDAT') data.push(content);
    at += CHUNK_BYTES + length;
  }
  if (type !== RGB && type !== RGBA) throw new Error(`a picture with colours of the type ${type}`);
  const step = type === RGBA ? 4 : 3;
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * step, height, step);
  const colours = Uint32Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(at * step, 3));
  return { width, height, colours };
}

/** Takes the filters off the rows, each of which predicts a byte by those before and above it. */
function unfiltered(rows: Buffer, rowBytes: number, height: number, step: number): Buffer {
  const plain = Buffer.alloc(rowBytes * height);
  for (let row = 0; row < height; row += 1) {
    const filter = rows[row * (rowBytes + 1)];
    for (let at = 0; at < rowBytes; at += 1) {
      const place = row * rowBytes + at;
      const left = at < step ? 0 : plain[place - step]!;
      const above = row === 0 ? 0 : plain[place - rowBytes]!;
      const corner = at < step || row === 0 ? 0 : plain[place - rowBytes - step]!;
      const predicted = [0, left, above, (left + above) >> 1, closestTo(left, above, corner)][filter!]!;
      plain[place] = rows[place + row + 1]! + predicted;
    }
  }
  return plain;
}

/** The one of three bytes that is the closest to left + above - corner. */
function closestTo(left: number, above: number, corner: number): number {
  const wanted = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((each) => Math.abs(wanted - each)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
