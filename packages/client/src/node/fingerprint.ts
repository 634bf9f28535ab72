/**
 * The fingerprint of a machine: the id that the operating system keeps, hashed together with the product. The hash
 * cannot be reversed, and fingerprints of two products cannot be matched. Hostnames and network addresses are not used,
 * because they change.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOfFile, textOfProgram } from './system-text.ts';

/**
 * The fingerprint of this machine. In a container, or if the system keeps no id, it is made from a random id in the
 * file `machine-id` of the folder. Mount that folder as a volume, or provide your own fingerprint. Rejects if the id
 * cannot be read at the moment: a random one would be another machine to the service.
 */
export async function machineFingerprint(productId: string, directory: string): Promise<string> {
  const systemId = (await isInContainer()) ? null : await systemMachineId();
  const id = systemId ?? (await keptId(directory));
  const digest = createHmac('sha256', id).update(`latchkey:${productId}`).digest('base64url');
  return `v1.${digest.slice(0, 22)}`;
}

/**
 * The id of a Linux machine from the text of its file; null if the text is not an id, as in an image that was never
 * started.
 */
export function linuxMachineId(text: string): string | null {
  const id = text.trim().toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) && !/^0+$/.test(id) ? id : null;
}

/** `IOPlatformUUID` from the output of `ioreg`; null if absent. */
export function macMachineId(text: string): string | null {
  return /"IOPlatformUUID"\s*=\s*"([0-9A-Fa-f-]{36})"/.exec(text)?.[1]?.toLowerCase() ?? null;
}

/** `MachineGuid` from the output of `reg.exe`; null if absent. */
export function windowsMachineId(text: string): string | null {
  return /MachineGuid\s+REG_SZ\s+([0-9A-Fa-f-]{36})/.exec(text)?.[1]?.toLowerCase() ?? null;
}

async function systemMachineId(): Promise<string | null> {
  if (process.platform === 'darwin')
    return macMachineId((await textOfProgram('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'])) ?? '');
  if (process.platform === 'win32') {
    const program = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'reg.exe');
    const key = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography';
    return windowsMachineId((await textOfProgram(program, ['query', key, '/v', 'MachineGuid', '/reg:64'])) ?? '');
  }
  for (const file of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = linuxMachineId((await textOfFile(file)) ?? '');
    if (id !== null) return id;
  }
  return null;
}

/** Containers of one image share its machine id, or get a new one at each start. */
async function isInContainer(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return true;
  return /kubepods|docker|containerd|lxc/.test((await textOfFile('/proc/self/cgroup')) ?? '');
}

/** The random id of a folder. If several processes create it at once, all of them get the first one. */
async function keptId(directory: string): Promise<string> {
  const file = join(directory, 'machine-id');
  const known = await readFile(file, 'utf8').catch(() => null);
  if (known !== null && known.trim() !== '') return known.trim();
  const temporary = `${file}.${randomUUID()}.tmp`;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, randomUUID(), { mode: 0o600 });
    // `link` fails if another process has created the file by now; an empty file, as after a power cut, is replaced.
    await (known === null ? link(temporary, file).catch(() => {}) : rename(temporary, file));
    return (await readFile(file, 'utf8')).trim();
  } finally {
    await rm(temporary, { force: true });
  }
}
