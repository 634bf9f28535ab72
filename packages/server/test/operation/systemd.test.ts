/** The systemd units in ops/: valid and hardened, as judged by systemd where it is installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const unit = readFileSync(new URL('../../../../ops/latchkey.service', import.meta.url), 'utf8');
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const isMissing = analyze('--version').error !== undefined && 'systemd-analyze is not installed';

describe('ops/latchkey.service', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'latchkey.service');
  // A program that exists: the one of the unit is not installed on a machine that runs tests.
  writeFileSync(file, unit.replace('/opt/latchkey/current/bin/latchkey', process.execPath));

  for (const name of ['latchkey-backup.service', 'latchkey-backup.timer'])
    copyFileSync(new URL(`../../../../ops/${name}`, import.meta.url), join(folder, name));

  it('and the units for backups have nothing that systemd does not understand', { skip: isMissing }, () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no', file, join(folder, 'latchkey-backup.timer'));
    // systemd reads the other units of the machine, too, and warns of theirs.
    const ofOurs = stderr.split('\n').filter((line) => /latchkey/.test(line));
    assert.deepEqual([status, stdout, ofOurs], [0, '', []]);
  });

  it('leaves the service little to do harm with', { skip: isMissing }, (test) => {
    // The threshold is ten times the exposure that systemd computes, which ranges from 0 to 10.
    const { status, stdout, stderr } = analyze('security', '--offline=true', '--no-pager', '--threshold=20', file);
    if (/unrecognized option|Unknown/.test(stderr)) return test.skip('this systemd-analyze looks at no files');
    assert.equal(status, 0, stdout);
  });

  it('stops the service by SIGTERM and waits for longer than its usual time to end', () => {
    assert.doesNotMatch(unit, /^KillSignal=/m);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    assert.ok(Number(seconds) >= 30);
  });
});
