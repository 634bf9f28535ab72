/**
 * Simulates a month of a vendor with every kind of incident, on a clock that the test moves. Every app is a real
 * client of one of the given languages, the service is the real one in its own process, and calls use real sockets. The
 * apps' side has no TLS, because TLS would take most of the time and other tests cover it.
 */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Program } from '../../../../clients/conformance/driver-process.ts';
import type { TransportReply } from '../../src/index.ts';
import { Front } from '../support/front.ts';
import { DAY_MS, MINUTE_MS, type Trust, trustIn } from '../support/world.ts';
import { Customer, FLOATING_DAYS, type Kind, type Sold } from './customers.ts';
import { DrivenMachine } from './driven-machine.ts';
import { Service } from './service.ts';

/** The settings of a month. */
export interface Settings {
  readonly apps: number;
  /**
   * Number of apps that share a license and its 15 activations an hour. The last app shares a machine with the first.
   */
  readonly appsOfLicense: number;
  /** Hours a day in which floating licenses are used. */
  readonly workingHours: number;
  /** Whether to omit the kills during calls, which test/service-failures.test.ts covers as well. */
  readonly isShort: boolean;
  readonly say: (line: string) => void;
  /** Drivers of clients/conformance, each for every further app: one app in JavaScript, then one of each driver. */
  readonly programs?: readonly Program[];
}

/** The result of a month. */
export interface Tally {
  readonly apps: number;
  readonly paid: number;
  readonly revoked: number;
  readonly starts: number;
  readonly calls: number;
  readonly judged: number;
  readonly daysInGrace: number;
  /** Errors of apps, at most one of each kind per app. */
  readonly wrong: readonly string[];
}

/** The kinds of licenses, sold in rotation. */
const KINDS: readonly Kind[] = ['per-machine', 'site', 'floating'];

export class Month {
  readonly settings: Settings;
  readonly customers: Customer[] = [];
  readonly licenses: Sold[] = [];
  readonly service: Service;
  readonly front: Front;
  readonly #start: number;
  #now: number;
  #trust: Trust | null = null;
  #isAnsweredInstead = false;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  #starts = 0;
  #calls = 0;
  #judged = 0;
  #hoursInGrace = 0;
  readonly #wrong = new Map<string, string>();

  private constructor(settings: Settings, service: Service, front: Front, start: number) {
    this.settings = settings;
    this.service = service;
    this.front = front;
    this.#start = start;
    this.#now = start;
  }

  static async begin(settings: Settings): Promise<Month> {
    const start = Date.now();
    let month: Month | null = null;
    const environment = { LATCHKEY_FLOATING_FILE_LIFETIME: `${FLOATING_DAYS}d` };
    const service = await Service.make(environment, () => month?.now() ?? start);
    const front = await Front.start(service.port, 'plain');
    month = new Month(settings, service, front, start);
    month.reconnect();
    front.date = () => service.time;
    month.#trust = trustIn((await service.command('list-signing-keys', '--for-app')).out);
    return month;
  }

  now(): number {
    return this.#now;
  }

  /** Days since the month began. */
  get day(): number {
    return (this.#now - this.#start) / DAY_MS;
  }

  counted(): void {
    this.#calls += 1;
  }

  async send(path: string, body: string | null): Promise<TransportReply> {
    this.counted();
    if (!this.service.isUp && !this.#isAnsweredInstead) throw new Error('connect ECONNREFUSED');
    return ask(this.#agent, this.front.url + path, body);
  }

  /** Lets calls reach the service again, if it is running. */
  reconnect(): void {
    this.#isAnsweredInstead = false;
    this.front.decide = async () => {
      if (!this.service.isUp) return 'drop';
      await this.service.tellTime();
      return 'pass';
    };
  }

  /** Answers calls in the service's place. */
  answerInstead(bytes: string): void {
    this.#isAnsweredInstead = true;
    this.front.decide = () => ({ bytes });
  }

  async startService(): Promise<void> {
    await this.service.start();
    this.front.port = this.service.port;
  }

  /** Sells a license for a number of apps, whose users enter the key. */
  async sell(apps: number, order: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const place = this.customers.length;
    const kind = KINDS[this.licenses.length % KINDS.length] as Kind;
    const slots = kind === 'floating' ? { maxConcurrent: apps } : { maxMachines: apps };
    const bought = { email: 'ada@example.com', productId: 'app', licenseType: kind, ...slots, ...order };
    const license: Sold = {
      key: (await this.service.admin('/createLicense', bought)).licenseKey,
      kind,
      revokedAt: null,
    };
    this.licenses.push(license);
    for (let n = 0; n < apps; n++) {
      const beside = n > 0 && n === this.settings.appsOfLicense - 1 ? this.customers[place] : undefined;
      const hasKeys = beside === undefined ? (place + n) % 6 !== 5 : beside.hasKeys;
      const customer = await Customer.make(this, {
        name: `${kind} ${place + n}`,
        license,
        place: place + n,
        trust: hasKeys ? this.#trust : null,
        beside,
        program: this.#programFor(place + n, beside),
      });
      if (customer.place % 5 === 1) customer.machine.skewMs = 40 * DAY_MS;
      if (customer.place % 7 === 2) customer.machine.skewMs = -400 * DAY_MS;
      this.customers.push(customer);
      if (beside === undefined) {
        await customer.machine.start(() => {});
        await customer.machine.activate(license.key);
      }
      await this.#open(customer);
    }
  }

  /** The languages in rotation. Two apps on one machine share a folder or, both in JavaScript, a storage in memory. */
  #programFor(place: number, beside: Customer | undefined): Program | null {
    const programs = this.settings.programs ?? [];
    const index = place % (programs.length + 1);
    if (beside === undefined) return programs[index - 1] ?? null;
    if (!(beside.machine instanceof DrivenMachine)) return null;
    return programs[index - 1] ?? programs[0] ?? null;
  }

  /** Revokes licenses of each kind, possibly again. */
  async revoke(licenses: readonly Sold[]): Promise<void> {
    for (const license of licenses) {
      await this.service.admin('/revokeLicense', { licenseKey: license.key });
      license.revokedAt = this.#now;
      for (const customer of this.customersOf(license)) await customer.wasRevoked();
    }
  }

  customersOf(license: Sold): readonly Customer[] {
    return this.customers.filter((customer) => customer.license === license);
  }

  async #open(customer: Customer): Promise<void> {
    this.#starts += 1;
    await customer.open((each) => this.#judge(each));
  }

  #judge(customer: Customer): void {
    this.#judged += 1;
    const { wrong } = customer;
    if (wrong === null) return;
    const kind = wrong.slice(0, wrong.indexOf(':'));
    const key = `${customer.name} ${kind}`;
    if (!this.#wrong.has(key)) this.#wrong.set(key, `day ${this.day.toFixed(2)}, ${customer.name} ${wrong}`);
  }

  /** Moves the clock to a day, minute by minute, with the events on the way. */
  async passTo(day: number): Promise<void> {
    const end = this.#start + day * DAY_MS;
    while (this.#now < end) {
      const minute = Math.round((this.#now - this.#start) / MINUTE_MS);
      const present = this.customers.filter(({ isGone }) => !isGone);
      const seen = present.filter(({ machine }) => minute % (60 * machine.hoursBetweenLooks) === 0);
      await Promise.all(seen.map((customer) => this.#lookAt(customer)));
      const minuteOfDay = minute % (24 * 60);
      const opening = present.filter((customer) => minuteOfDay === 8 * 60 + customer.minute);
      await Promise.all(opening.map((customer) => this.#open(customer)));
      const closing = minuteOfDay - this.settings.workingHours * 60 - 8 * 60;
      const leaving = present.filter(({ license, minute: own }) => license.kind === 'floating' && own === closing);
      await Promise.all(leaving.map((customer) => customer.close()));
      this.#now += MINUTE_MS;
      const due = present.filter(({ machine }) => machine.nextTimer <= this.#now);
      await Promise.all(due.map(({ machine }) => machine.fire()));
    }
  }

  async #lookAt(customer: Customer): Promise<void> {
    if (customer.isOpen) await customer.machine.look();
    this.#judge(customer);
    if (customer.isOpen && customer.machine.state.status === 'grace')
      this.#hoursInGrace += customer.machine.hoursBetweenLooks;
  }

  tally(): Tally {
    const all = this.customers;
    return {
      apps: all.length,
      paid: all.filter(({ license }) => license.revokedAt === null).length,
      revoked: all.filter(({ license }) => license.revokedAt !== null).length,
      starts: this.#starts,
      calls: this.#calls,
      judged: this.#judged,
      daysInGrace: Math.round(this.#hoursInGrace / 24),
      wrong: [...this.#wrong.values()],
    };
  }

  async end(): Promise<void> {
    this.#agent.destroy();
    await Promise.all(this.customers.map(({ machine }) => machine.discard()));
    await this.front.stop();
    await this.service.remove();
  }
}

/** Sends a call to the proxy in front of the service. */
function ask(agent: Agent, url: string, body: string | null): Promise<TransportReply> {
  return new Promise((resolve, reject) => {
    const headers =
      body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { agent, method: body === null ? 'GET' : 'POST', headers }, (answer) => {
      const named = Object.entries(answer.headers).map(([name, value]) => [name, value?.toString()]);
      const complete = (answered: string) =>
        resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(named), text: answered });
      text(answer).then(complete, reject);
    });
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
