/** The service when its log cannot be written, and the fate of the lines. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LogOutput, type Write } from '../../../src/runtime/http/log-output.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { requestBytes, Wire } from './wire.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Starts the service as a process with these two outputs. */
async function startService(test: TestContext, stdout: 'pipe' | number, stderr: 'pipe' | number) {
  const directory = temporaryFolder(test);
  const service = spawn(process.execPath, [MAIN], {
    env: { ...processEnvironment, HOST: '127.0.0.1', PORT: '0', LATCHKEY_DATA_DIR: directory },
    stdio: ['ignore', stdout, stderr],
  });
  test.after(() => service.kill('SIGKILL'));
  return service;
}

/** Stops the service, and returns its exit code. */
async function stopped(service: ChildProcess): Promise<number | null> {
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  return (await exited)[0];
}

/** Text of a stream after the last match: one chunk may hold the next match, too. */
const unread = new WeakMap<Readable, string>();

/** The first match of a pattern in the text of a stream. */
async function said(stream: Readable, pattern: RegExp): Promise<string> {
  let text = unread.get(stream) ?? '';
  const find = () => {
    const match = pattern.exec(text);
    if (match !== null) unread.set(stream, text.slice(match.index + match[0].length));
    return match?.[1];
  };
  const known = find();
  if (known !== undefined) return known;
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const found = find();
    if (found !== undefined) return found;
  }
  throw new Error(`the service said ${JSON.stringify(text)}`);
}

const portGreeted = async (service: ChildProcess) => Number(await said(service.stderr!, /answers at https:.*:(\d+)\n/));
/** The port of a service that also reports why it cannot write its log; its first line may come before the greeting. */
const portGreetedWithout = async (service: ChildProcess, code: string) =>
  Number(
    await said(
      service.stderr!,
      new RegExp(
        `^(?=[\\s\\S]*cannot write its log to standard output \\(${code}\\))[\\s\\S]*answers at https:.*:(\\d+)\\n`,
      ),
    ),
  );
const portLogged = async (service: ChildProcess) => Number(await said(service.stdout!, /"port":(\d+)[^\n]*\n/));

/** Sends this many requests that are refused, over a few connections, and waits for all replies. */
async function refusals(port: number, count: number): Promise<void> {
  const CONNECTIONS = 4;
  const one = requestBytes('/verify', '{}');
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const wire = await Wire.open(port);
      wire.write(Buffer.concat(Array.from({ length: count / CONNECTIONS }, () => one)));
      for (let each = 0; each < count / CONNECTIONS; each++) assert.equal((await wire.answer()).status, 400);
      wire.end();
    }),
  );
}

const hasDevFull = existsSync('/dev/full');
const skip = hasDevFull ? false : 'run it on Linux, which has /dev/full';

describe('a service whose log goes to a full disk', { timeout: 60_000 }, () => {
  it('starts, says so, answers and ends in order', { skip }, async (test) => {
    const full = openSync('/dev/full', 'w');
    const service = await startService(test, full, 'pipe');
    closeSync(full);
    await refusals(await portGreetedWithout(service, 'ENOSPC'), 40);
    assert.equal(await stopped(service), 0);
  });

  it('does not mind that its greeting goes there, too', { skip }, async (test) => {
    const full = openSync('/dev/full', 'w');
    const service = await startService(test, 'pipe', full);
    closeSync(full);
    await refusals(await portLogged(service), 40);
    assert.equal(await stopped(service), 0);
  });
});

describe('a service whose output pipe is closed at the other end', { timeout: 60_000 }, () => {
  it('greets nobody, answers and ends in order', async (test) => {
    const service = await startService(test, 'pipe', 'pipe');
    service.stderr!.destroy();
    await refusals(await portLogged(service), 40);
    assert.equal(await stopped(service), 0);
  });

  it('logs nothing, says so, answers and ends in order', async (test) => {
    const service = await startService(test, 'pipe', 'pipe');
    service.stdout!.destroy();
    await refusals(await portGreetedWithout(service, 'EPIPE'), 40);
    assert.equal(await stopped(service), 0);
  });
});

const skipOnWindows = process.platform === 'win32' ? 'run it on a system with named pipes in files' : false;

describe('a service whose log goes into a pipe that nobody reads', { timeout: 120_000, skip: skipOnWindows }, () => {
  /** About 1.3 MB of lines: more than the pipe and the service buffer together. */
  const REFUSALS = 6_000;

  /** The service with a named pipe as its standard output, which is open for reading but not read. */
  async function startUnread(test: TestContext) {
    const path = join(temporaryFolder(test), 'log');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    const service = await startService(test, writer, 'pipe');
    closeSync(writer);
    return { service, reader, port: await portGreeted(service) };
  }

  it('answers all calls and ends in order', async (test) => {
    const { service, reader, port } = await startUnread(test);
    await refusals(port, REFUSALS);
    assert.equal(await stopped(service), 0);
    closeSync(reader);
  });

  it('reports the number of lost lines once the pipe is read again, and loses no more', async (test) => {
    const { service, reader, port } = await startUnread(test);
    await refusals(port, REFUSALS);
    const lines = createInterface({ input: new Socket({ fd: reader, readable: true, writable: false }) });
    const logged: { event: string; level: number; lines?: number }[] = [];
    const isReported = Promise.withResolvers<void>();
    const isOver = once(lines, 'close');
    lines.on('line', (line) => {
      logged.push(JSON.parse(line));
      if (logged.at(-1)?.event === 'log.lost') isReported.resolve();
    });
    await isReported.promise;
    const lost = logged.at(-1)!;
    const kept = logged.filter(({ event }) => event === 'request.refused').length;
    assert.ok(kept > 1_000 && lost.lines! > 0, `${kept} kept, ${lost.lines} lost`);
    assert.equal(kept + lost.lines!, REFUSALS);
    assert.equal(lost.level, 40);
    await refusals(port, 40);
    assert.equal(await stopped(service), 0);
    await isOver;
    const after = logged.slice(logged.indexOf(lost) + 1).map(({ event }) => event);
    assert.deepEqual(after, [...Array(40).fill('request.refused'), 'service.stopping', 'service.stopped']);
  });
});

describe('the output of the log', () => {
  /**
   * An output on a descriptor with the results of `answer`: an error's code, or the number of bytes that it accepts.
   */
  function outputThat(answer: () => string | number) {
    const written: Buffer[] = [];
    const failures: (string | undefined)[] = [];
    const losses: number[] = [];
    const write: Write = (_descriptor, bytes, done) => {
      const result = answer();
      const error = typeof result === 'string' ? Object.assign(new Error(result), { code: result }) : null;
      const taken = typeof result === 'string' ? 0 : Math.min(result, bytes.length);
      written.push(bytes.subarray(0, taken));
      setImmediate(() => done(error, taken));
    };
    const events = {
      failed: ({ code }: NodeJS.ErrnoException) => failures.push(code),
      lost(lines: number) {
        losses.push(lines);
        output.write(`lost ${lines}\n`);
      },
    };
    const output: LogOutput = new LogOutput(-1, events, write);
    return { output, failures, losses, text: () => Buffer.concat(written).toString() };
  }
  const flushed = (output: LogOutput) => new Promise<void>((resolve) => output.flush(resolve));

  it('writes every line whole and in order, however little is taken at a time', async () => {
    const { output, text } = outputThat(() => 7);
    const lines = Array.from({ length: 50 }, (_, position) => `line ${position} of fünfzig\n`);
    for (const line of lines) output.write(line);
    await flushed(output);
    assert.equal(text(), lines.join(''));
    assert.equal(output.lostLines, 0);
  });

  it('keeps one mebibyte of lines, counts further ones, and reports the number at the gap', async () => {
    let answer: string | number = 'ENOSPC';
    const { output, failures, losses, text } = outputThat(() => answer);
    const line = `${'x'.repeat(1023)}\n`;
    for (let each = 0; each < 1024 + 300; each++) output.write(line);
    // Short enough to fit, but in the middle of the gap.
    output.write('short\n');
    assert.equal(output.lostLines, 301);
    await flushed(output);
    assert.deepEqual([failures, losses, text()], [['ENOSPC'], [], '']);
    answer = Number.POSITIVE_INFINITY;
    await flushed(output);
    output.write('after\n');
    await flushed(output);
    assert.equal(text(), `${line.repeat(1024)}lost 301\nafter\n`);
    assert.deepEqual([losses, output.lostLines], [[301], 301]);
  });

  it('says once that it fails, until it has recovered and fails again', async () => {
    const answers = ['ENOSPC', 'ENOSPC', 'EIO', 1_000, 'EDQUOT', 1_000];
    const { output, failures } = outputThat(() => answers.shift()!);
    output.write('one\n');
    while (answers.length > 2) await flushed(output);
    output.write('two\n');
    while (answers.length > 0) await flushed(output);
    assert.deepEqual(failures, ['ENOSPC', 'EDQUOT']);
  });

  it('does not call a pipe that is full for a while a failure', async () => {
    const answers = ['EAGAIN', 'EAGAIN', 4, 'EAGAIN', 1_000];
    const { output, failures, text } = outputThat(() => answers.shift()!);
    output.write('one line\n');
    await flushed(output);
    assert.deepEqual([text(), failures, output.lostLines], ['one line\n', [], 0]);
  });
});
