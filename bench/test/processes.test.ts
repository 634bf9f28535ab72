import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { readCpuSeconds, readMemoryBytes } from '../src/processes.ts';

const BURNT_MS = 300;
const burn = `const end = process.cpuUsage().user + ${BURNT_MS * 1000}; while (process.cpuUsage().user < end);`;

// Without /proc these figures are unknown, and the report omits them.
describe('the CPU time of processes', { skip: process.platform !== 'linux' }, () => {
  it('counts the time of ended descendants', () => {
    const before = readCpuSeconds({ self: process.pid }).self!;
    spawnSync(process.execPath, ['-e', burn]);
    const after = readCpuSeconds({ self: process.pid }).self!;
    assert.ok(after - before >= (BURNT_MS / 1000) * 0.9, `${after - before} s`);
  });

  it('knows nothing of a process that is not there', () => {
    assert.deepEqual(readCpuSeconds({ nobody: 2 ** 30 }), {});
    assert.deepEqual(readMemoryBytes({ nobody: 2 ** 30 }), {});
  });
});
