/** Reads license files as an app does: with the program of docs/apps/license-files.md. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestApp } from '../../support/app.ts';
import type { Machine } from '../../support/machine.ts';
import { codeUnder } from './code-blocks.ts';

/** The data of an app, and the place and time at which it reads a file. */
export interface Expected {
  readonly issuer: string;
  readonly publicKeys: readonly { readonly kid: string; readonly x: string }[];
  readonly productId: string;
  readonly fingerprint: string;
  /** Seconds since 1970. */
  readonly now: number;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any claim of any file
export type Claims = Record<string, any>;

const directory = mkdtempSync(join(tmpdir(), 'latchkey-reading-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

/** Exports of a program of the page. */
export async function exportsOf(heading: string): Promise<Record<string, unknown>> {
  const file = join(directory, `${heading.replace(/\W+/g, '-')}.mts`);
  writeFileSync(file, codeUnder(heading));
  return import(pathToFileURL(file).href);
}

const { readLicenseFile: read, readKeyList: readList } = await exportsOf('TypeScript (Node.js)');

/** The claims of a valid file; null for any other. */
export const readLicenseFile = read as (text: string, expected: Expected) => Claims | null;

/** The keys of a genuine list; null for any other. */
export const readKeyList = readList as (
  text: string,
  expected: Pick<Expected, 'issuer' | 'publicKeys'>,
) => Expected['publicKeys'] | null;

/** The data in the app of a machine: all keys that the service publishes, and its issuer. */
export async function expectedBy(
  app: TestApp,
  { fingerprint, productId }: Pick<Machine, 'fingerprint' | 'productId'>,
): Promise<Expected> {
  const { status, body } = await app.send('/.well-known/latchkey-keys.json', undefined, { method: 'GET' });
  assert.equal(status, 200);
  const { iss: issuer, keys } = payloadOf(body.keys[0]);
  return { issuer, publicKeys: keys, productId, fingerprint, now: Math.floor(app.clock.now() / 1000) };
}

/** The payload of a JWS, unverified. */
export function payloadOf(jws: string): Claims {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
}

/** Requests the file of an activated machine. */
export function fetchFile(machine: Machine) {
  const { app, licenseKey, fingerprint: machineFingerprint, token } = machine;
  return app.send('/issueLicenseFile', { licenseKey, machineFingerprint, token });
}
