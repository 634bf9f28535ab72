/** API keys (rules 2.7, 5.2). */
import { crc32 } from 'node:zlib';
import { mintSecret } from '../../ground/base/random.ts';

/** A stored API key; the raw key is never stored. */
export interface ApiKey {
  /** See hashApiKey in platform/endpoint/caller.ts. */
  readonly hash: string;
  readonly name: string;
  /** Fixed at creation. */
  readonly creatorId: string;
  readonly active: boolean;
  readonly createdAt: string;
  /** Null while it is active, and for keys revoked by a version that did not store the time. */
  readonly revokedAt: string | null;
}

/** Prefix of every raw key, so that secret scanners recognise a key leaked into a repository or a log. */
const PREFIX = 'lk_';
const SECRET_BYTES = 32;

/**
 * A new raw key: the prefix, 43 characters with 256 random bits, and 6 characters of checksum, all of them letters,
 * digits, `-` or `_`. The checksum lets a scanner distinguish a key from a look-alike without asking the service; it
 * protects nothing.
 */
export function mintApiKey(): string {
  return mintKey(PREFIX);
}

/** A raw key of the same form with another prefix, for other kinds of keys. */
export function mintKey(prefix: string): string {
  const secret = mintSecret(SECRET_BYTES);
  return `${prefix}${secret}${checksumOf(secret)}`;
}

/** The CRC-32 of the 43 characters, as base64url of its four bytes in big-endian order. */
function checksumOf(secret: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(secret));
  return bytes.toString('base64url');
}
