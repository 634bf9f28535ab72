/** The steps of random walks: those at the beginning, and the kinds from which the others are drawn. */
import type { Dice } from './dice.ts';
import type { Fault } from './front.ts';
import type { Step } from './scenario.ts';

/** Draws a step. */
type Draw = (dice: Dice) => Step;

const NETWORKS: readonly (string | Fault)[] = [
  ...['up', 'up', 'up', 'down', 'html', 'half', 'lost'],
  {
    do: 'answer',
    status: 503,
    headers: { 'retry-after': '90' },
    body: { valid: false, success: false, error: 'busy' },
  },
  { do: 'answer', status: 500, body: { valid: false, success: false, error: 'License has been revoked' } },
  { do: 'answer', status: 302, headers: { location: 'https://elsewhere.example/' }, body: { valid: true } },
  { do: 'answer', status: 403, headers: { 'latchkey-code': 'a_new_code' }, body: { valid: false, success: false } },
  { do: 'change', headers: { 'latchkey-code': null } },
  { do: 'change', headers: { date: null } },
  { do: 'change', body: { error: 'In other words', later: { nested: [1, null] } } },
  { do: 'change', body: { maxVersion: '2.4', updatesUntil: '2020-01-01T00:00:00.000Z' } },
  { do: 'text', text: '{"valid":true,"success":true}' },
  { do: 'lose', times: 1 },
  { do: 'drop', only: ['/issueLicenseFile'] },
  { do: 'drop', only: ['/.well-known/latchkey-keys.json'] },
];

/** The files of the operator by their names: one for each machine, one for any, and one of a request. */
const FILES = ['file-a', 'file-b', 'file-any', 'file-requested'] as const;
const ALTERED = 'file-altered';

/** Builds of apps know the first key, or also the second one, which signs. */
const SIGNING_KEYS: readonly Step[] = [{ trust: 'first' }, { service: 'rotate' }, { trust: 'second' }, { pass: '3m' }];

/** The product, its variants and its code for trials. */
const OFFER: readonly Step[] = [
  { admin: '/createProduct', with: { name: 'App', slug: '{product}', creatorId: 'ada' } },
  {
    admin: '/createVariant',
    with: {
      productId: '{product}',
      name: 'whole',
      maxMachines: 2,
      features: { export: true, limit: 5 },
      meters: { exports: { limit: 20, period: 'day' } },
    },
  },
  {
    admin: '/createVariant',
    with: { productId: '{product}', name: 'small', maxMachines: 1, meters: { exports: { limit: 3, period: 'month' } } },
  },
  {
    admin: '/createVariant',
    with: { productId: '{product}', name: 'try', maxMachines: 1, defaultTrialDays: 14, trialWithoutKey: true },
  },
  { admin: '/createDiscountCode', with: { productId: '{product}', code: 'TRY {product}', trialDays: 14 } },
];

const TERMS = [
  ...[{ variant: 'small' }, { variant: 'whole' }, { maxMachines: 1 }, { maxMachines: 2 }],
  ...[{ updatesUntil: { in: '-1d' } }, { updatesUntil: { in: '400d' } }],
];

/** A code works once for an address. */
const redemption = (email: string): Step => ({
  admin: '/redeemTrialCode',
  with: { productId: '{product}', code: 'TRY {product}', email },
  take: 'licenseKey',
  as: 'tried',
});

const LICENSES: readonly Step[] = [
  { license: 'bought', with: { maxMachines: 1 } },
  { license: 'subscribed', with: { maxMachines: 2, expiresAt: { in: '30d' } } },
  { license: 'floating', with: { licenseType: 'floating', maxConcurrent: 1 } },
  { license: 'other', with: { maxMachines: 2, expiresAt: { in: '400d' } } },
].map(({ license, with: terms }) => ({ license, with: { productId: '{product}', variant: 'whole', ...terms } }));

const command =
  (...dos: readonly string[]): Draw =>
  (dice) => ({ app: dice.app(), do: dice.one(dos) });

const edit =
  (...edits: readonly object[]): Draw =>
  (dice) => ({ edit: 'state', machine: dice.machine(), ...dice.one(edits) });

/** How long a file of the operator lasts. */
const LIFETIMES: readonly object[] = [{ days: 1 }, { days: 30 }, { days: 30 }, { days: 100 }, { forever: true }];

const OWNERS = {
  'file-a': { machineFingerprint: '{fp-a}', hostname: 'computer of a' },
  'file-b': { machineFingerprint: '{fp-b}', hostname: 'computer of b' },
  'file-any': { anyMachine: true },
} as const;

const fileOf = (as: keyof typeof OWNERS, key: string, lifetime: object): Step => ({
  admin: '/createLicenseFile',
  key,
  with: { ...OWNERS[as], ...lifetime },
  take: 'licenseFile',
  as,
});

function operatorsFile(dice: Dice): Step {
  return fileOf(dice.one(['file-a', 'file-b', 'file-any']), dice.anyName(), dice.one(LIFETIMES));
}

function requestedFile(dice: Dice): Step {
  const fields = { request: '{request}', ...dice.one(LIFETIMES) };
  return { admin: '/createLicenseFile', with: fields, take: 'licenseFile', as: 'file-requested' };
}

/** The steps of each side before apps start. */
export const BEGINNING: readonly Step[] = [
  ...SIGNING_KEYS,
  ...OFFER,
  ...LICENSES,
  redemption('ada@example.com'),
  fileOf('file-a', 'subscribed', { days: 5 }),
  fileOf('file-b', 'other', { days: 30 }),
  fileOf('file-any', 'tried', { days: 5 }),
  { service: 'backup' },
];

/** Mostly the file of the app's machine: any other is wrong in most cases. */
function importOfFile(dice: Dice): Step {
  const app = dice.app();
  const own = app === 'b' ? 'file-b' : 'file-a';
  return { app, do: 'importFile', text: `{${dice.one([...FILES, own, own, own, ALTERED])}}` };
}

/** A license gets another key, which has its name from then on. */
function replacement(dice: Dice): Step {
  const name = dice.anyName();
  return { admin: '/replaceLicense', key: name, take: 'licenseKey', as: name };
}

/**
 * How often each kind of step comes, and how it is drawn. Apps that run make all their checks on the way; a floating
 * license without a network is asked about every minute. So most long times are spent asleep.
 */
const KINDS: readonly (readonly [weight: number, draw: Draw])[] = [
  [30, (dice) => ({ pass: dice.one(['1s', '10s', '45s', '5m', '17m', '1h', dice.isFloating ? '30m' : '3h']) })],
  [0.5, (dice) => ({ pass: dice.one(dice.isFloating ? ['2h'] : ['1d', '2d']) })],
  [0.02, (dice) => ({ pass: dice.isFloating ? '30h' : '40d' })],
  [3, (dice) => ({ sleep: dice.one(['2h', '16h', '16h', '16h', '2d', '2d', '8d', '8d', '25d', '40d']) })],
  [12, command('check', 'check', 'state')],
  [10, (dice) => ({ app: dice.app(), do: 'activate', key: dice.key() })],
  [2, (dice) => ({ app: dice.app(), do: 'activate' })],
  [1, (dice) => ({ app: dice.app(), do: 'activate', key: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE' })],
  [
    2,
    (dice) => ({ app: dice.app(), do: 'startTrial', order: dice.one([{}, { variant: 'try' }, { variant: 'whole' }]) }),
  ],
  [0.5, (dice) => redemption(dice.one(['bob@example.com', 'eve@example.com', 'joe@example.com']))],
  [4, (dice) => ({ app: dice.app(), do: 'consume', meter: 'exports', units: dice.one([0, 1, 1, 2]) })],
  [2, (dice) => ({ app: dice.app(), do: 'feature', name: dice.one(['export', 'limit', 'absent']) })],
  [1, (dice) => ({ app: dice.app(), do: 'exportRequest', key: dice.key(), keep: 'request' })],
  [3, operatorsFile],
  [0.5, requestedFile],
  [0.4, (dice) => ({ alter: dice.one(FILES), as: ALTERED })],
  [5, importOfFile],
  [0.4, command('deactivate')],
  [4, command('close')],
  [1, (dice) => ({ kill: dice.app() })],
  [8, (dice) => ({ open: dice.app(), options: dice.options() })],
  [2, (dice) => ({ app: dice.app(), do: 'start' })],
  [8, (dice) => ({ network: dice.one(NETWORKS), machine: dice.machine() })],
  [8, (dice) => ({ network: 'up', machine: dice.machine() })],
  [
    2,
    (dice) => ({ admin: dice.one(['/revokeLicense', '/reinstateLicense', '/resetActivations']), key: dice.anyName() }),
  ],
  [3, (dice) => ({ admin: '/reinstateLicense', key: dice.anyName() })],
  [1, replacement],
  [
    4,
    (dice) => ({
      admin: '/updateLicense',
      key: dice.one(['subscribed', 'other', 'tried']),
      with: { expiresAt: { in: dice.one(['-1h', '1h', '3d', '40d', '400d', '400d']) } },
    }),
  ],
  [
    1,
    (dice) => ({
      admin: '/updateLicense',
      key: dice.anyName(),
      with: dice.one(TERMS),
    }),
  ],
  [1, (dice) => ({ clock: dice.one(['-400d', '-2h', '2d', '100d']), machine: dice.machine() })],
  [2, (dice) => ({ clock: 'right', machine: dice.machine() })],
  [0.2, (dice) => ({ serverClock: dice.one(['2d', '2d', '-1d', '2y']) })],
  [0.6, () => ({ serverClock: 'right' })],
  [0.3, () => ({ service: 'kill' })],
  [4, () => ({ service: 'start' })],
  [0.3, () => ({ service: 'rotate' })],
  [0.1, () => ({ service: 'backup' })],
  [0.05, () => ({ service: 'restore' })],
  [0.2, (dice) => ({ edit: 'lock', machine: dice.machine(), text: 'left by a killed app' })],
  [0.3, edit({ cut: 40 }, { remove: true }, { set: { v: 2 } })],
  [0.6, edit({ flip: 'file' }, { flip: 'token' })],
  [1, edit({ copyTo: 'earlier' }, { restoreFrom: 'earlier' })],
  [0.3, (dice) => ({ disk: 'full', machine: dice.machine() })],
  [0.6, (dice) => ({ disk: 'free', machine: dice.machine() })],
];

const WHOLE = KINDS.reduce((sum, [weight]) => sum + weight, 0);

/** A step of a kind that is drawn by its weight. */
export function drawStep(dice: Dice): Step {
  let left = dice.number(WHOLE);
  for (const [weight, draw] of KINDS) {
    left -= weight;
    if (left < 0) return draw(dice);
  }
  throw new Error('no kind of step was drawn');
}
