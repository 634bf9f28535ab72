/**
 * `npm run demo -- --history`: creates a shop with a past, unless the folder already holds one, and runs a service on
 * it.
 */
import { mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import { ConfigError } from '../../src/runtime/config/config.ts';
import type { Environment } from '../../src/runtime/config/names.ts';
import { loadConfig } from '../../src/runtime/config/read-config.ts';
import { serveUntilSignal } from '../../src/runtime/service/serve.ts';
import { connectToService, ScriptError } from '../service-client.ts';
import { goOn } from './going-on.ts';
import { makeHistory, SETTINGS } from './history.ts';
import { appsOf, type KeptApp } from './kept-apps.ts';
import { Outside } from './outside.ts';

/** File that marks a folder as created by this program; lists the apps that keep calling. */
const MARK = 'demo-history.json';

interface Mark {
  readonly madeAt: string;
  readonly days: number;
  readonly seed: string;
  /** The port at which events of the shop arrive. */
  readonly eventPort: number;
  /** Address of a customer with several computers, who may look at the pages for customers. */
  readonly customer: string;
  readonly apps: readonly KeptApp[];
}

/** Parameters of the shop. */
export interface ShopOptions {
  /** Relative to the directory where npm was called. */
  readonly folder: string;
  readonly days: number;
  readonly seed: string;
  /** Only HOST, PORT and INIT_CWD are read, so that the settings of another service on this machine have no effect. */
  readonly environment: Environment;
  readonly say: (line: string) => void;
}

/**
 * Runs the shop until a signal ends the service.
 *
 * @throws ScriptError if the folder holds something else or the port is in use
 */
export async function showShop({ folder, days, seed, environment, say }: ShopOptions): Promise<void> {
  const here = environment.INIT_CWD ?? process.cwd();
  const directory = resolve(here, folder);
  const shown = relative(here, directory) || '.';
  const { host, port } = await readPlace(environment, directory);
  const known = await readMark(directory, shown);
  const outside = await Outside.open(known?.eventPort);
  try {
    if (known === null) {
      say(`Makes a shop with a past of ${days} days in ${shown}.`);
      await makeShop(directory, days, seed, outside, say);
    } else say(`${shown} holds a shop that was made at ${known.madeAt}: it is shown as it is.`);
    const mark = known ?? (await readMark(directory, shown));
    const url = `https://localhost:${port}`;
    const pages = { LATCHKEY_SELF_SERVICE: 'on', LATCHKEY_PUBLIC_URL: url };
    const settings = { ...SETTINGS, ...outside.environment, ...pages, LATCHKEY_LOG_LEVEL: 'warn' };
    const place = { HOST: host, PORT: String(port), LATCHKEY_DATA_DIR: directory };
    await serveUntilSignal(loadConfig({ ...settings, ...place }));
    outside.onMail = ({ to, mail }) => say(`\nE-mail to ${to.join()}: ${mail.subject}\n${mail.text?.trim()}\n`);
    say(lookAround(url, port, shown, mark?.customer ?? ''));
    goOn(connectToService(place), mark?.apps ?? []);
  } catch (error) {
    await outside.close();
    throw error;
  }
}

/** Instructions for the user. */
function lookAround(url: string, port: number, shown: string, customer: string): string {
  const overview = `curl --cacert ${shown}/tls-cert.pem -H "X-Admin-Secret: $(cat ${shown}/admin-secret)" ${url}/getOverview`;
  return [
    `The shop is open, and its customers go on. Look around at ${url}/console/ with a link that this prints:`,
    '',
    `  PORT=${port} LATCHKEY_DATA_DIR=${shown} npm run latchkey -- sign-in-link`,
    '',
    `The pages for customers are at ${url}/my: sign in as ${customer}.`,
    'The code comes by e-mail, and e-mails of the shop appear here instead of being delivered.',
    '',
    'Its state at a glance:',
    '',
    `  ${overview}`,
    '',
    `Ctrl C ends it; npm run demo -- --history ${shown} shows it again. Delete the folder when you have seen enough.`,
  ].join('\n');
}

/** The host and a free port for the service. */
async function readPlace({ HOST, PORT, INIT_CWD }: Environment, directory: string) {
  try {
    const { host, port } = loadConfig({ HOST, PORT, INIT_CWD, LATCHKEY_DATA_DIR: directory, ...SETTINGS });
    return { host, port: await freePort(host, port) };
  } catch (error) {
    if (error instanceof ConfigError) throw new ScriptError(error.message);
    throw error;
  }
}

/** The wanted port, or a free one for 0. The check comes first, before a minute is spent on the history. */
async function freePort(host: string, wanted: number): Promise<number> {
  const server = createServer();
  try {
    await new Promise<void>((succeed, fail) => {
      server.once('error', fail);
      server.listen(wanted, host, succeed);
    });
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : wanted;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ScriptError(`Port ${wanted} of ${host} cannot be used (${code}): name another one in PORT.`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The mark of a folder; null if the folder is missing or empty. */
async function readMark(directory: string, shown: string): Promise<Mark | null> {
  try {
    return JSON.parse(await readFile(join(directory, MARK), 'utf8'));
  } catch {
    const files = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new ScriptError(`${shown} cannot be used (${error.code}).`);
    });
    if (files.length === 0) return null;
    throw new ScriptError(
      `${shown} holds something that npm run demo did not make, and is left alone: name another folder.`,
    );
  }
}

/**
 * Creates the shop in a temporary folder beside the target and renames it at the end, so that a folder with the final
 * name is always complete.
 */
async function makeShop(
  directory: string,
  days: number,
  seed: string,
  outside: Outside,
  say: (line: string) => void,
): Promise<void> {
  const draft = await mkdtemp(join(dirname(directory), `.${basename(directory)}-`)).catch((error) => {
    throw new ScriptError(`${directory} cannot be made (${error.code}).`);
  });
  const leave = (signal: NodeJS.Signals) =>
    void rm(draft, { recursive: true, force: true }).then(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    let reported = 0;
    const onProgress = (share: number) => {
      if (share < reported + 0.25) return;
      reported = Math.floor(share * 4) / 4;
      say(`  ${Math.round(reported * days)} of ${days} days`);
    };
    const { sold, counted } = await makeHistory({
      directory: draft,
      days,
      seed,
      end: systemClock(),
      outside,
      onProgress,
    });
    const calls = [...counted.values()].reduce((sum, count) => sum + count, 0);
    say(`  ${sold.length} licenses were sold, and apps called ${calls.toLocaleString('en')} times.`);
    const { eventPort } = outside;
    const customer = sold.findLast(({ kind, apps }) => kind === 'studio' && apps.length > 1)?.owner.email ?? '';
    const mark: Mark = { madeAt: toTimestamp(systemClock()), days, seed, eventPort, customer, apps: appsOf(sold) };
    await writeFile(join(draft, MARK), JSON.stringify(mark), { mode: 0o600 });
    await rmdir(directory).catch(() => {});
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
  }
}
