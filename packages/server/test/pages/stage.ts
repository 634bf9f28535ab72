/** A fresh checkout in which a test types the commands of a page. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { delimiter, dirname, join } from 'node:path';
import { type Answer, sendRequest } from '../support/app.ts';
import { processEnvironment } from '../support/process-environment.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { makeCheckout } from './fresh-checkout.ts';
import { ROOT } from './page-commands.ts';
import { PageShell, type Typed } from './page-shell.ts';

/** Programs that serve until they are stopped, and their output once they are ready. */
const SERVING: readonly (readonly [RegExp, RegExp])[] = [
  [/(?:^| )npm start$|latchkey (?:-- )?serve$/, /"event":"service\.started".*\n/],
  [/latchkey-client receive /, /Receiving at .*\n/],
  [/^npm run dev /, /Local:.*\n/],
];

/** Folders of the system on the pages; each is a folder of the stage with the same name. */
const SYSTEM_FOLDERS = /(?<![\w.])\/(?=(?:opt|var|etc|backups)\/)/g;

/** Stands in for systemd: runs the command with the variables that it was given. */
const SYSTEMD_RUN = `#!/usr/bin/env bash
set -e
while [[ "$1" == -* ]]; do
  case "$1" in
    -p) set -a; . "\${2#EnvironmentFile=}"; set +a; shift 2 ;;
    -E) export "$2"; shift 2 ;;
    *) shift ;;
  esac
done
exec "$@"
`;

/** Commands that build the same files in each checkout, and take seconds: one checkout does it for all. */
const BUILT_ONCE: ReadonlyMap<string, string> = new Map([
  ['npm run package -- .', 'latchkey-server-1.0.0.tgz'],
  ['npm pack --workspace packages/client', 'latchkey-client-1.0.0.tgz'],
]);
const built = new Map<string, Promise<string>>();

export class Stage {
  readonly root: string;
  readonly shell: PageShell;
  /** The results of the commands so far, by their text on the page. */
  readonly typed = new Map<string, Typed>();
  readonly #place: string;
  readonly #databases: TestDatabase[] = [];
  readonly #agent = new Agent({ rejectUnauthorized: false });
  /** The ports of the running program, by the number on the pages. */
  #ports: ReadonlyMap<string, number> = new Map();

  /** @param place a folder that does not exist */
  constructor(place: string) {
    this.#place = place;
    this.root = join(place, 'latchkey');
    makeCheckout(this.root);
    for (const folder of ['bin', 'home', 'opt/latchkey', 'var/lib/latchkey', 'var/backups/latchkey', 'etc/latchkey'])
      mkdirSync(join(place, folder), { recursive: true });
    for (const folder of ['etc/systemd/system', 'backups']) mkdirSync(join(place, folder), { recursive: true });
    writeFileSync(join(place, 'etc/latchkey/latchkey.env'), '');
    writeFileSync(join(place, 'bin/systemd-run'), SYSTEMD_RUN, { mode: 0o755 });
    this.shell = new PageShell(this.root, join(place, 'outputs'), {
      ...processEnvironment,
      PATH: [join(place, 'bin'), join(place, 'global/bin'), dirname(process.execPath), process.env.PATH].join(
        delimiter,
      ),
      HOME: join(place, 'home'),
      // Of this copy: each command of a page starts Node.js on the same modules.
      NODE_COMPILE_CACHE: join(place, 'compiled'),
      PORT: '0',
      CURL_CA_BUNDLE: join(this.root, 'data/tls-cert.pem'),
      npm_config_prefix: join(place, 'global'),
      npm_config_cache: join(place, 'cache'),
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_fetch_retries: '0',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    });
  }

  /** A path of the system, such as `/var/lib/latchkey`, on this stage. */
  system(path: string): string {
    return join(this.#place, path);
  }

  /** Types a command of a page, and keeps its result. */
  async type(text: string, changed: string): Promise<Typed> {
    const result = await this.#result(text, this.#here(changed));
    this.typed.set(text, result);
    return result;
  }

  /** Runs a command that the page leaves to its reader. @throws if it fails */
  async run(command: string): Promise<Typed> {
    const [, ready] = SERVING.find(([form]) => form.test(command)) ?? [];
    const result = ready === undefined ? await this.shell.run(this.#here(command)) : await this.#serve(command, ready);
    if (result.status !== 0) throw new Error(`${command} ended with ${result.status}: ${result.err}`);
    return result;
  }

  /** Has a file that a command makes in every checkout alike. Returns its name. */
  async have(command: string): Promise<string> {
    const name = BUILT_ONCE.get(command)!;
    const own = join(this.root, name);
    if (!built.has(command)) {
      const making = this.run(`(cd '${this.root}' && ${command})`).then(() => own);
      built.set(command, making);
    }
    const made = await built.get(command)!;
    if (made !== own) copyFileSync(made, own);
    return name;
  }

  /** The admin secret of the service in the checkout, once it was started. */
  get adminSecret(): string {
    return readFileSync(join(this.root, 'data/admin-secret'), 'utf8').trim();
  }

  /** Calls the running service as its operator. */
  async admin(path: string, fields: object): Promise<Answer['body']> {
    const { adminSecret } = this;
    const port = this.#ports.get('8443')!;
    const { status, body } = await sendRequest(this.#agent, port, path, { adminSecret, ...fields }, {});
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Makes a license, and returns its key. */
  async license(productId = 'app', fields: object = {}): Promise<string> {
    return (await this.admin('/createLicense', { email: 'ada@example.com', productId, ...fields })).licenseKey;
  }

  /** Removes a database at the end; returns its URL. */
  keep(database: TestDatabase): string {
    this.#databases.push(database);
    if (database.database.engine !== 'postgres') throw new TypeError('not on PostgreSQL');
    return database.database.url;
  }

  /** Files and folders that git would show as new, beside those of the checkout itself. */
  untracked(): readonly string[] {
    const gitFolder = execFileSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: ROOT, encoding: 'utf8' }).trim();
    const shown = (folder: string) => {
      const git = [`--git-dir=${gitFolder}`, `--work-tree=${folder}`, 'ls-files', '--others', '--exclude-standard'];
      return execFileSync('git', git, { cwd: folder, encoding: 'utf8' }).split('\n');
    };
    const own = new Set(shown(ROOT));
    return shown(this.root).filter((file) => !own.has(file));
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.shell.close();
    for (const { remove } of this.#databases) await remove();
    // A checkout that built something for the others stays until the end of the run.
    if (![...built.keys()].some((command) => existsSync(join(this.root, BUILT_ONCE.get(command)!))))
      rmSync(this.#place, { recursive: true, force: true });
  }

  async #result(text: string, command: string): Promise<Typed> {
    if (BUILT_ONCE.has(text)) return { status: 0, out: await this.have(text), err: '' };
    const [, ready] = SERVING.find(([form]) => form.test(command)) ?? [];
    return ready === undefined ? this.shell.run(command) : this.#serve(command, ready);
  }

  async #serve(command: string, ready: RegExp): Promise<Typed> {
    const ephemeral = command.replace(/PORT=\d+/g, 'PORT=0').replace(/--port \d+/, '--port 0');
    const out = await this.shell.start(ephemeral, ready);
    const [, port] = /"event":"service\.started".*?"port":(\d+)/.exec(out) ?? [];
    const [, metricsPort] = /"event":"metrics\.started".*?"port":(\d+)/.exec(out) ?? [];
    this.#ports = new Map([
      ['8443', Number(port)],
      ['9464', Number(metricsPort)],
    ]);
    return { status: 0, out, err: '' };
  }

  /** A command with the ports and folders of this stage. */
  #here(command: string): string {
    return command
      .replaceAll('https://licenses.example.com', 'https://localhost:8443')
      .replaceAll(/:(8443|9464)\b/g, (_found, port: string) => `:${this.#ports.get(port) ?? port}`)
      .replaceAll(SYSTEM_FOLDERS, `${this.#place}/`);
  }
}
