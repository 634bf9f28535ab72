/** The fingerprint of a machine, and the id that its system keeps. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { linuxMachineId, machineFingerprint, macMachineId, windowsMachineId } from '../src/node/fingerprint.ts';
import { textOfFile, textOfProgram } from '../src/node/system-text.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Longer than any program of these tests takes. */
const LONG_MS = 600_000;

const directory = temporaryFolder('latchkey-fingerprint-');

describe('the fingerprint of a machine', () => {
  it('is the same at each start, another for each product, and reveals nothing about the machine', async () => {
    const folder = join(directory, 'fingerprint');
    const [one, again, other] = await Promise.all([
      machineFingerprint('app', folder),
      machineFingerprint('app', folder),
      machineFingerprint('other', folder),
    ]);
    assert.match(one, /^v1\.[\w-]{22}$/);
    assert.equal(one, again);
    assert.notEqual(one, other);
  });

  it('takes the ids that systems keep, and none of those that many machines share', () => {
    assert.equal(linuxMachineId('0123456789ABCDEF0123456789abcdef\n'), '0123456789abcdef0123456789abcdef');
    for (const text of ['', 'uninitialized\n', '0'.repeat(32), 'localhost']) assert.equal(linuxMachineId(text), null);
    const uuid = '564D1F2A-0000-1111-2222-333344445555';
    assert.equal(macMachineId(`      "IOPlatformUUID" = "${uuid}"\n`), uuid.toLowerCase());
    assert.equal(macMachineId('"IOPlatformSerialNumber" = "C02"'), null);
    const printed = `\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\...\r\n    MachineGuid    REG_SZ    ${uuid}\r\n`;
    assert.equal(windowsMachineId(printed), uuid.toLowerCase());
    assert.equal(windowsMachineId('ERROR: The system was unable to find'), null);
  });
});

/** Calls a function as on Windows, whose reg.exe is a shell script. */
async function onWindows<Result>(script: string | null, work: () => Promise<Result>): Promise<Result> {
  const root = await mkdtemp(join(directory, 'windows-'));
  await mkdir(join(root, 'System32'));
  if (script !== null) await writeFile(join(root, 'System32', 'reg.exe'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  const { SystemRoot } = process.env;
  process.env.SystemRoot = root;
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'platform', platform);
    if (SystemRoot === undefined) delete process.env.SystemRoot;
    else process.env.SystemRoot = SystemRoot;
  }
}

describe('the id that a system keeps', {
  skip: process.platform === 'win32' && 'reg.exe is a shell script here',
}, () => {
  const KEPT = 'echo "    MachineGuid    REG_SZ    564d1f2a-0000-1111-2222-333344445555"';

  it('is not replaced by a random one while it cannot be read', async () => {
    const folder = join(directory, 'busy');
    const fingerprint = () => machineFingerprint('app', folder);
    const one = await onWindows(KEPT, fingerprint);
    await assert.rejects(onWindows('kill -9 $$', fingerprint));
    await assert.rejects(readFile(join(folder, 'machine-id')), { code: 'ENOENT' });
    assert.equal(await onWindows(KEPT, fingerprint), one);
  });

  it('is read again at once after a failure that passes', async () => {
    const folder = join(directory, 'again');
    const one = await onWindows(KEPT, () => machineFingerprint('app', folder));
    const script = `[ -e "$0.tried" ] || { touch "$0.tried"; kill -9 $$; }\n${KEPT}`;
    assert.equal(await onWindows(script, () => machineFingerprint('app', folder)), one);
  });

  it('is unknown after three failures, and known if the third reading succeeds', async () => {
    /** Runs a program that notes each of its runs in a file, and is killed in all before the given one. */
    const killedUntil = (run: number) => {
      const script = `echo >> "$0"; [ "$(wc -l < "$0")" -ge ${run} ] || kill -9 $$; echo id`;
      return textOfProgram('/bin/sh', ['-c', script, join(directory, `runs-${run}`)], LONG_MS);
    };
    assert.equal(await killedUntil(3), 'id\n');
    await assert.rejects(killedUntil(4), { signal: 'SIGKILL' });
    assert.equal(await readFile(join(directory, 'runs-4'), 'utf8'), '\n'.repeat(3));
  });

  it('is replaced by a random one, always the same, if the system has none', async () => {
    for (const script of [null, 'echo ERROR: not found; exit 1', 'echo "    MachineGuid    REG_SZ    "']) {
      const folder = await mkdtemp(join(directory, 'none-'));
      const fingerprint = () => machineFingerprint('app', folder);
      const one = await onWindows(script, fingerprint);
      assert.deepEqual(await readdir(folder), ['machine-id'], String(script));
      assert.equal(await onWindows(script, fingerprint), one);
    }
  });

  it('is absent without its file or its program, and unknown if these fail', async () => {
    assert.equal(await textOfFile(join(directory, 'absent')), null);
    assert.equal(await textOfFile(directory), null);
    const loop = join(directory, 'loop');
    await symlink(loop, loop);
    await assert.rejects(textOfFile(loop), { code: 'ELOOP' });
    assert.equal(await textOfProgram(join(directory, 'absent'), []), null);
    const node = (script: string, limitMs = LONG_MS) => textOfProgram(process.execPath, ['-e', script], limitMs);
    assert.equal(await node('process.exit(1)'), null);
    assert.equal(await node('process.stdout.write("id")'), 'id');
    await assert.rejects(node('setInterval(() => {}, 1000)', 200), { killed: true });
  });
});
