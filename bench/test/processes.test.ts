import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pause, readCpuSeconds, readMemoryBytes, resume } from '../src/processes.ts';

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

  it('does not grow while they are paused, descendants included', { timeout: 30_000 }, async () => {
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = await once(parent.stdout, 'data');
    const pids = [parent.pid!, Number(line)];
    const arePaused = () => pids.map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T '));
    const untilPausedAre = async (states: readonly boolean[]) => {
      while (String(arePaused()) !== String(states)) await sleep(5);
    };
    try {
      pause({ parent: parent.pid! });
      await untilPausedAre([true, true]);
      resume({ parent: parent.pid! });
      await untilPausedAre([false, false]);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    }
  });

  it('knows nothing of a process that is not there', () => {
    assert.deepEqual(readCpuSeconds({ nobody: 2 ** 30 }), {});
    assert.deepEqual(readMemoryBytes({ nobody: 2 ** 30 }), {});
    pause({ nobody: 2 ** 30 });
  });
});
