/** The real service, the network in front of it, and the correct time, which scenarios move. */
import { Service } from '../../packages/client/test/outage/service.ts';
import { type Certificate, certificateFor } from '../../packages/client/test/support/broken-server.ts';
import { FOLDER } from './folder.ts';
import { Front } from './front.ts';

/** The compiled-in settings with which an app trusts license files. */
export interface Trust {
  readonly issuer: string;
  readonly publicKeys: readonly { readonly kid: string; readonly x: string }[];
}

const AHEAD_MS = 86_400_000;

/** No limit by network, because all machines call from one address; files as by default. */
const ENVIRONMENT = { LATCHKEY_QUEUE_WAIT: 'off', LATCHKEY_KEYLESS_TRIAL_RATE: 'off' };

export class World {
  now: number;
  readonly service: Service;
  readonly front: Front;
  readonly origin: string;
  /** The origins with TLS: one with a certificate that apps can trust, and one with an unknown one. */
  readonly tls: { readonly origin: string; readonly certificate: string; readonly unknownOrigin: string };
  #machines = 0;
  /** The files of backups, the newest last. */
  readonly #backups: string[] = [];
  /** The present keys; null if they may have changed. */
  #trust: Promise<Trust> | null = null;

  private constructor(now: number, service: Service, front: Front, origin: string, tls: World['tls']) {
    this.now = now;
    this.service = service;
    this.front = front;
    this.origin = origin;
    this.tls = tls;
  }

  static async start(): Promise<World> {
    let world: World | null = null;
    // The commands of the operator go by the system's clock, which must not overtake this one.
    const startedAt = Math.floor(Date.now() / 1000) * 1000 + AHEAD_MS;
    const now = () => world?.now ?? startedAt;
    const service = await Service.make(ENVIRONMENT, now, true, FOLDER);
    const behind = {
      get isUp() {
        return service.isUp;
      },
      get port() {
        return service.port;
      },
      get time() {
        return service.time;
      },
      tellTime: () => service.tellTime(),
    };
    const front = new Front(behind, now);
    const [known, unknown] = (await Promise.all([certificateFor('127.0.0.1'), certificateFor('127.0.0.1')])) as [
      Certificate,
      Certificate,
    ];
    world = new World(startedAt, service, front, await front.listen(), {
      origin: await front.listen(known),
      certificate: known.cert,
      unknownOrigin: await front.listen(unknown),
    });
    return world;
  }

  /** A name of a machine that no other machine has. */
  nextMachine(): string {
    this.#machines += 1;
    return `m${this.#machines}`;
  }

  /** The present keys. Several callers share one reading. */
  trust(): Promise<Trust> {
    this.#trust ??= this.service.command('list-signing-keys', '--for-app').then(({ out }): Trust => JSON.parse(out));
    return this.#trust;
  }

  /** Publishes a new signing key, which signs after two minutes. */
  async rotateKey(): Promise<void> {
    await this.service.command('rotate-signing-key', '--from', '2m');
    this.#trust = null;
  }

  async backup(): Promise<void> {
    const file = this.service.place(`backup-${this.#backups.length + 1}.db`);
    await this.service.command('backup', file);
    this.#backups.push(file);
  }

  /** Replaces the database by the newest backup, and starts the service again. */
  async restore(): Promise<void> {
    const file = this.#backups.at(-1);
    if (file === undefined) throw new Error('there is no backup');
    await this.service.kill();
    await this.service.restore(file);
    await this.service.start();
    this.#trust = null;
  }

  /** Starts the service if a playing killed it, and corrects its clock. */
  async settle(): Promise<void> {
    this.service.skewMs = 0;
    if (!this.service.isUp) await this.service.start();
  }

  async stop(): Promise<void> {
    await this.front.stop();
    await this.service.remove();
  }
}
