/** The incidents of the month, by day. */
import { answerBytes } from '../support/front.ts';
import { DAY_MS, DOWN } from '../support/world.ts';
import type { Kind, Sold } from './customers.ts';
import type { Month } from './month.ts';

/** Time in days since the month began, description, and action. */
export type Incident = readonly [day: number, what: string, happens: () => Promise<void> | void];

const on = (...incident: Incident): Incident => incident;

const HTML = '<html><body>Please sign in to the network of this hotel</body></html>';
/** The answers of a broken proxy, a different one every few hours. */
const NONSENSE: readonly (readonly [string, string])[] = [
  ['a page of HTML with 200', answerBytes(200, HTML, 'text/html')],
  ['a page of HTML with 403', answerBytes(403, HTML, 'text/html')],
  ['half an answer', 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"valid":true,'],
  ['a bad gateway', answerBytes(502, HTML, 'text/html')],
  ['an empty object', answerBytes(200, '{}')],
  [
    'a refusal in the words of another program',
    answerBytes(403, '{"success":false,"valid":false,"error":"License revoked"}'),
  ],
  [
    'a refusal with the wrong status',
    answerBytes(500, '{"success":false,"valid":false,"error":"License has been revoked"}'),
  ],
  ['no HTTP', '220 mail.example ESMTP\r\n'],
];

/** The incidents in order. */
export function incidents(month: Month): readonly Incident[] {
  const { service, front, settings } = month;
  const { appsOfLicense } = settings;
  const early: Sold[] = [];
  let backup = '';
  let present = '';

  /** A paid license of each kind, starting from an index. */
  const oneOfEach = (from: number): Sold[] =>
    (['per-machine', 'site', 'floating'] as Kind[]).flatMap((kind) =>
      month.licenses.filter((license) => license.kind === kind && license.revokedAt === null).slice(from, from + 1),
    );

  /**
   * The service answers the next call of a kind, is killed before the answer is sent, and returns ten minutes later.
   */
  const killDuring = (day: number, path: string): Incident[] => [
    on(day, `the service is killed while it answers ${path}`, () => {
      const { decide } = front;
      front.onLost = () => service.kill();
      front.decide = async (asked) => {
        const fate = await decide(asked);
        if (fate !== 'pass' || asked !== path) return fate;
        front.decide = decide;
        return 'lose';
      };
    }),
    on(day + 1 / 48, 'and is there again', () => {
      if (service.isUp) throw new Error(`no app called ${path}`);
      return back();
    }),
  ];

  /** Omitted in a short run. */
  const kill = (day: number, path: string): Incident[] => (settings.isShort ? [] : killDuring(day, path));

  async function back(): Promise<void> {
    month.reconnect();
    if (!service.isUp) await month.startService();
  }

  const away = () => service.kill();

  async function rotateKey(): Promise<void> {
    await service.command('rotate-signing-key', '--from', '2m');
  }

  function clock(milliseconds: number): void {
    service.skewMs = milliseconds;
  }

  return [
    on(0, `${settings.apps} apps are bought`, async () => {
      for (let left = settings.apps; left > 0; left -= appsOfLicense) await month.sell(Math.min(left, appsOfLicense));
    }),
    on(1, 'a backup is made', async () => {
      backup = service.place('backup.db');
      await service.command('backup', backup);
    }),
    ...kill(1.334, '/validate'),
    on(2, 'more apps are bought, for eleven days', async () => {
      const expiresAt = new Date(month.now() + 11 * DAY_MS).toISOString();
      await month.sell(appsOfLicense, { expiresAt });
    }),
    on(2.1, 'the signing key is rotated', rotateKey),
    ...kill(2.334, '/heartbeat'),
    on(2.7, 'a license of each kind is revoked', async () => {
      early.push(...oneOfEach(0));
      await month.revoke(early);
    }),
    on(4, 'the disk breaks, and the backup of day 1 is restored', async () => {
      await away();
      present = await service.restore(backup);
      for (const license of early) for (const customer of month.customersOf(license)) customer.isGoodAgain();
      await back();
    }),
    on(4.25, 'what the backup had made good again is revoked again', () => month.revoke(early)),
    ...kill(5.334, '/activate'),
    on(7, 'the disk of day 4 is repaired and put back', async () => {
      await away();
      await service.restore(present);
      await back();
    }),
    on(7.2, 'the signing key is rotated', rotateKey),
    ...kill(8.334, '/issueLicenseFile'),
    on(9, 'the service is away for five and a half days', away),
    on(14.5, 'it is back, and what was paid in between is renewed', async () => {
      await back();
      for (const { key } of month.licenses.slice(-1)) {
        const expiresAt = new Date(month.now() + 30 * DAY_MS).toISOString();
        await service.admin('/updateLicense', { licenseKey: key, expiresAt });
      }
    }),
    ...NONSENSE.map(([what, bytes], n) => on(15 + n / 4, `a proxy answers ${what}`, () => month.answerInstead(bytes))),
    on(17, 'the proxy is repaired', back),
    on(17.1, 'the clock of the service is 40 days ahead', () => clock(40 * DAY_MS)),
    on(18.3, 'and right again', () => clock(0)),
    on(18.5, 'the clock of the service is three days behind', () => clock(-3 * DAY_MS)),
    on(19.5, 'and right again', () => clock(0)),
    on(19.6, 'the clocks of some machines jump 40 days ahead', () => {
      for (const { place: n, machine } of month.customers) if (n % 4 === 3) machine.skewMs += 40 * DAY_MS;
    }),
    on(20, 'the signing key is rotated', rotateKey),
    on(20.7, 'some are right again, others are set back by 40 days', () => {
      for (const { place: n, machine } of month.customers)
        if (n % 4 === 3) machine.skewMs -= (n % 8 === 3 ? 40 : 80) * DAY_MS;
    }),
    on(21, 'a license of each kind is revoked', () => month.revoke(oneOfEach(1))),
    on(22.4, 'customers pull the plug, and their licenses are revoked after that', async () => {
      const licenses = oneOfEach(1);
      for (const license of licenses)
        for (const customer of month.customersOf(license)) {
          customer.machine.fault = DOWN;
          customer.isConnected = false;
        }
      await month.revoke(licenses);
    }),
    on(24, 'the service is away for six days', away),
    on(30, 'it is back', back),
    on(31, 'the month is over; those without a plug go on until their files end', () => {
      for (const customer of month.customers) customer.isGone = customer.isConnected;
    }),
    on(31 + 31, 'the plug is back, and nothing has changed', () => {
      for (const { machine } of month.customers) machine.fault = null;
    }),
    on(31 + 32, 'the end', () => {}),
  ];
}
