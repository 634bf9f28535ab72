#!/usr/bin/env node
/** `latchkey-client`: a command-line tool for developers of apps and of receivers of events. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startReceiving } from './receive.ts';
import { tryLicense } from './try-license.ts';

const HELP = `Usage: latchkey-client try --server https://... --product ID --key KEY [options]

Walks through the life of a license against a real server: activates it on this machine, checks it and
frees the slot again, and prints what an app would see at each step. It uses up one activation.

  --ca FILE             PEM of the authority that signed the server's certificate
  --pin PIN             base64 of SHA-256 of the server's public key; may be repeated
  --offline-after 5s    takes the network away after that time, to show grace
  --clock +40d          moves the clock after that (back: --clock=-40d); with the network away, as if so much time had passed

Times are a number and s, m, h or d. The exit code is 0 where the app may run in the end, 1 where it may not.

Usage: latchkey-client receive --port 4430 --secret-file FILE [options]

Receives events of a server on this machine (http://127.0.0.1:4430/), verifies each with the secret in the file,
prints it on a line and answers 204. A request that is not verified is answered 400.

  --forward URL         sends verified requests on, unchanged, and answers with the status of that answer
  --fail 500            answers verified requests with this status
  --slow 20s            waits before each answer; the server waits for 15s
`;

// The reader of the output may close the pipe early, as `head` does. That is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const LONGEST_SLOW_MS = 600_000;

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration such as `+40d` into milliseconds. */
function milliseconds(text: string): number {
  const [, number, unit] = /^([+-]?\d+)([smhd])$/.exec(text) ?? [];
  if (number === undefined) throw new TypeError(`${text} is not a time such as 5s or +40d`);
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}

type ReceiveValues = Readonly<
  Partial<Record<'port' | 'secret-file' | 'forward' | 'fail' | 'slow', string | undefined>>
>;

/** Runs the receiver until a signal ends the process; returns an exit code if the command line is wrong. */
async function receive(given: ReceiveValues): Promise<number> {
  const { port = '4430', 'secret-file': secretFile, forward = null, fail, slow = '0s' } = given;
  if (secretFile === undefined) {
    process.stdout.write(HELP);
    return 2;
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new TypeError(`${port} is not a port`);
  if (fail !== undefined && !/^[345]\d\d$/.test(fail)) throw new TypeError(`${fail} is not a status such as 500`);
  if (forward !== null && !/^https?:\/\//.test(forward)) throw new TypeError('--forward takes an http or https URL');
  const slowMs = milliseconds(slow);
  if (slowMs < 0 || slowMs > LONGEST_SLOW_MS) throw new TypeError('--slow takes a time from 0s to 10m');
  await startReceiving(
    { port: Number(port), secretFile, forward, fail: fail === undefined ? null : Number(fail), slowMs },
    (line) => process.stdout.write(`${line}\n`),
  );
  return 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      'secret-file': { type: 'string' },
      forward: { type: 'string' },
      fail: { type: 'string' },
      slow: { type: 'string' },
      server: { type: 'string' },
      product: { type: 'string' },
      key: { type: 'string' },
      ca: { type: 'string' },
      pin: { type: 'string', multiple: true },
      'offline-after': { type: 'string' },
      clock: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (!values.help && positionals.length === 1 && positionals[0] === 'receive') return receive(values);
  const { server, product, key, ca, pin, clock = '+0s' } = values;
  if (values.help || positionals.length !== 1 || positionals[0] !== 'try' || !server || !product || !key) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const offlineAfter = values['offline-after'];
  const isLicensed = await tryLicense(
    {
      server,
      productId: product,
      licenseKey: key,
      ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
      ...(pin === undefined ? {} : { pins: pin }),
      offlineAfterMs: offlineAfter === undefined ? null : milliseconds(offlineAfter),
      clockMs: milliseconds(clock),
    },
    (line) => process.stdout.write(`${line}\n`),
  );
  return isLicensed ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  },
);
