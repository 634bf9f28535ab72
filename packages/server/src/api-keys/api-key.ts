/** API keys (rules 2.7, 5.2). */
import { crc32 } from 'node:zlib';
import { mintSecret } from '../random.ts';

/** An API key as it is stored and listed; the raw key is not kept anywhere. */
export interface ApiKey {
  /** See hashApiKey in endpoint/caller.ts. */
  readonly hash: string;
  readonly name: string;
  /** Fixed when the key is made. */
  readonly creatorId: string;
  readonly active: boolean;
  readonly createdAt: string;
  /** Null while it is active, and for keys that a version revoked which did not keep the moment. */
  readonly revokedAt: string | null;
}

/** What every raw key begins with, so that secret scanners recognise one that leaked into a repository or a log. */
const PREFIX = 'lk_';
const SECRET_BYTES = 32;

/**
 * A new raw key: the prefix, 43 characters that carry 256 random bits, and 6 characters of checksum, all of them letters,
 * digits, `-` or `_`. By the checksum a scanner tells a key from what only looks like one without asking the service;
 * it guards nothing.
 */
export function mintApiKey(): string {
  return mintKey(PREFIX);
}

/** A raw key of the same form with another prefix, for keys of another kind. */
export function mintKey(prefix: string): string {
  const secret = mintSecret(SECRET_BYTES);
  return `${prefix}${secret}${checksumOf(secret)}`;
}

/** The CRC-32 of the 43 characters, as base64url of its four bytes, highest first. */
function checksumOf(secret: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(secret));
  return bytes.toString('base64url');
}
