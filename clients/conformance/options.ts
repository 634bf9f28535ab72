/** Fills in the options of an app: README.md explains their names. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import type { OptionsOfScenario } from './scenario.ts';
import { fingerprintOf, type Stage } from './stage.ts';
import type { Trust } from './world.ts';

/** The options of PROTOCOL.md for an app on a machine. */
export async function optionsOf(stage: Stage, machine: Machine, options: OptionsOfScenario): Promise<object> {
  const { trust, server = ['0'], fingerprint, directory, buildDate, ca, ...same } = options;
  const { names } = stage;
  return {
    productId: 'app',
    hostname: `computer of ${machine.name}`,
    ...(trust === undefined ? {} : await trustOf(stage, trust)),
    ...names.filled(same),
    server: (server as readonly string[]).map((text) => addressOf(stage, machine, text)),
    ...(ca === undefined ? {} : { ca: await certificateOn(stage, machine) }),
    ...(directory === 'default' ? {} : { directory: machine.directory }),
    ...(fingerprint === 'default'
      ? {}
      : { fingerprint: fingerprint === undefined ? fingerprintOf(machine) : names.filled(fingerprint) }),
    ...(buildDate === undefined ? {} : { buildDate: names.filled(buildDate) }),
  };
}

async function trustOf({ trusts, world }: Stage, trust: boolean | string): Promise<Trust> {
  const kept = typeof trust === 'string' ? trusts.get(trust) : undefined;
  if (kept !== undefined) return kept;
  const present = await world.trust();
  if (trust === true) return present;
  if (trust === 'newest') return { ...present, publicKeys: present.publicKeys.slice(-1) };
  throw new Error(`no signing keys are called ${trust}`);
}

function addressOf({ world }: Stage, { id }: Machine, text: string): string {
  if (/^\d\/*$/.test(text)) return `${world.origin}/${id}/${text}`;
  if (text === 'tls') return `${world.tls.origin}/${id}/0`;
  if (text === 'unknown-tls') return `${world.tls.unknownOrigin}/${id}/0`;
  if (text === 'nobody') return 'http://127.0.0.1:9/x';
  return text;
}

/** Returns the file of the certificate that the world's known address has. */
async function certificateOn({ world }: Stage, { base }: Machine): Promise<string> {
  const file = join(base, 'ca.pem');
  await writeFile(file, world.tls.certificate);
  return file;
}
