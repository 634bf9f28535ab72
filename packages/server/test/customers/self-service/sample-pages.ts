/** Every state of every page with made-up data, for tests that need no service. */

import { fileQuestionPage, madeFilePage } from '../../../src/customers/self-service/pages/file-pages.ts';
import type { Content, Shop, View } from '../../../src/customers/self-service/pages/frame.ts';
import { licensePage } from '../../../src/customers/self-service/pages/license-page.ts';
import { licensesPage } from '../../../src/customers/self-service/pages/licenses-page.ts';
import { newKeyPage } from '../../../src/customers/self-service/pages/new-key-page.ts';
import { noticePage } from '../../../src/customers/self-service/pages/notice-page.ts';
import { releasePage, releaseUserPage } from '../../../src/customers/self-service/pages/release-page.ts';
import { askPage, codePage, endedLinkPage, linkPage } from '../../../src/customers/self-service/pages/sign-in-pages.ts';
import { TEXTS } from '../../../src/customers/self-service/pages/texts/languages.ts';
import {
  type CustomerReply,
  type Device,
  type Language,
  type LicenseCard,
  RELEASES,
  type SeatHolder,
} from '../../../src/customers/self-service/shapes.ts';
import { KEPT_REFUSAL_CODES } from '../../../src/licensing/observed-calls/kept-refusal.ts';

/** A page to look at. */
export interface SamplePage {
  readonly name: string;
  readonly view: View;
  readonly content: Content;
}

const SHOP: Shop = {
  name: 'Lumen Audio',
  supportAddress: 'help@lumen-audio.example',
  supportUrl: null,
  accent: '#b3452c',
  logo: false,
  signIn: 'code',
  hasForm: true,
};

const LICENSE: LicenseCard = {
  ref: 'kT1l0s2Zq8yVn3xWb5RmHA',
  licenseKey: 'K7QWA-2MNPB-9XYZC-4RSTD-6UVWE',
  productName: 'Grain Delay',
  variantName: 'Studio',
  status: 'active',
  boughtAt: '2025-05-03T10:00:00.000Z',
  isBought: true,
  isTrial: false,
  expiresAt: '2027-05-03T10:00:00.000Z',
  beginsLater: false,
  graceUntil: null,
  updatesUntil: null,
  floating: false,
  used: 2,
  places: 2,
  links: {
    download: 'https://lumen-audio.example/download',
    renew: null,
    receipt: 'https://lumen-audio.example/orders',
  },
};

const device = (name: string, more: Partial<Device> = {}): Device => ({
  ref: 'a'.repeat(22),
  name,
  firstSeenAt: '2025-05-03T10:00:00.000Z',
  lastSeenAt: '2026-11-02T10:00:00.000Z',
  country: 'PT',
  running: false,
  fileUntil: null,
  release: 'counts',
  ...more,
});

const seatHolder = (name: string, more: Partial<SeatHolder> = {}): SeatHolder => ({
  ...{ ref: 'b'.repeat(22), name, machines: 1, lastSeenAt: '2026-11-02T10:00:00.000Z', release: 'counts' },
  ...more,
});

const FOUND: CustomerReply<'getMyLicense'> = {
  email: 'ada@example.com',
  shop: 'lumen-audio',
  license: LICENSE,
  usage: [],
  devices: [
    device('Studio iMac', { running: true, lastSeenAt: '2026-11-22T10:00:00.000Z' }),
    device('Old laptop', { lastSeenAt: '2026-11-14T10:00:00.000Z' }),
  ],
  moreDevices: false,
  users: [],
  budget: { of: 2, left: 1, nextAt: null },
  refusals: [
    {
      at: '2026-11-22T08:00:00.000Z',
      device: 'New laptop',
      code: 'machine_limit',
      details: { limit: 2 },
      wouldWorkNow: false,
    },
  ],
  newKey: { may: 'off', nextAt: null },
  files: false,
};

/** A computer in each state, refusals of each kind, and the form for a file. */
const FULL: CustomerReply<'getMyLicense'> = {
  ...FOUND,
  license: {
    ...LICENSE,
    graceUntil: '2027-05-10T10:00:00.000Z',
    isTrial: true,
    updatesUntil: '2028-05-03T10:00:00.000Z',
  },
  usage: [
    { meter: 'exports', used: 990, limit: 1000, resetsAt: '2027-06-01T00:00:00.000Z' },
    { meter: 'renders', used: 5, limit: null, resetsAt: null },
  ],
  devices: [
    device('Old laptop', { lastSeenAt: '2026-10-01T10:00:00.000Z', release: 'free' }),
    device('Studio iMac', { running: true, country: null }),
    device('Tablet', { release: 'too_new' }),
    device('Boat', { release: 'has_file', fileUntil: '2027-11-02T10:00:00.000Z' }),
    device('Island', { release: 'has_file' }),
    device('Attic', { release: 'spent' }),
    device('Office', { release: 'off' }),
    device('', { release: 'counts' }),
  ],
  moreDevices: true,
  newKey: { may: 'possible', nextAt: null },
  users: RELEASES.map((release, machines) => seatHolder(`${release}@example.com`, { machines, release })),
  refusals: [
    ...FOUND.refusals,
    ...KEPT_REFUSAL_CODES.map((code) => ({
      ...{ at: '2026-11-20T08:00:00.000Z', device: null, code, details: {}, wouldWorkNow: true },
    })),
  ],
  files: true,
};

/** A picture of one of these pages in docs/images. */
export interface PagePicture {
  readonly file: string;
  readonly page: string;
  readonly language: Language;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

export const PAGE_PICTURES: readonly PagePicture[] = [
  { file: 'my-license.png', page: 'license', language: 'en', width: 760, colorScheme: 'light' },
  { file: 'my-phone.png', page: 'link', language: 'en', width: 390, colorScheme: 'light' },
  { file: 'my-release-dark.png', page: 'release', language: 'de', width: 390, colorScheme: 'dark' },
];

/** Names that a stranger chose to break a page: elements, marks of direction, line breaks, length. */
export const HOSTILE = `</title><script>alert(1)</script>"'&\u202egnp.exe\r\nSet-Cookie: a=b ${'x'.repeat(80)}`;

/** The pages in one language; `name` replaces every name that a stranger can choose. */
export function samplePages(language: Language, name?: string): readonly SamplePage[] {
  const named = (given: string) => name ?? given;
  const shop: Shop = { ...SHOP, name: named(SHOP.name), supportAddress: named(SHOP.supportAddress ?? '') };
  const out: View = { language, shopId: named('lumen-audio'), shop, here: '/my?shop=lumen-audio', session: null };
  const email = named('ada@example.com');
  const view: View = { ...out, here: '/my/licenses', session: { email, signOutToken: 'token' } };
  const names = { productName: named(LICENSE.productName), variantName: named('Studio') };
  const license = { ...LICENSE, ...names };
  const foundOf = (reply: typeof FOUND) => ({
    ...reply,
    license: { ...reply.license, ...names },
    devices: reply.devices.map((each) => ({ ...each, name: each.name === '' ? '' : named(each.name) })),
    refusals: reply.refusals.map((each) => ({ ...each, device: each.device && named(each.device) })),
  });
  const [found, full] = [foundOf(FOUND), foundOf(FULL)];
  const [, old] = found.devices as [Device, Device];
  const lately = { may: 'spent', nextAt: '2026-12-22T10:00:00.000Z' } as const;
  const spent = { of: 2, left: 0, nextAt: '2026-12-03T10:00:00.000Z' };
  const unused = { ...found, license: { ...license, used: 0 }, devices: [], refusals: [] };
  const revoked = { ...found, license: { ...license, status: 'revoked' }, devices: [], refusals: [] } as const;
  const first = { closed: null, arrival: null, email: '', error: null } as const;
  const licenses = [
    license,
    { ...license, variantName: null, status: 'expired', isBought: false, isTrial: true, used: 0, places: 1 } as const,
    { ...license, status: 'revoked', expiresAt: null, floating: true, places: null, used: 3 } as const,
  ];
  const listed = { licenses, nextCursor: LICENSE.ref, sendKeysToken: 'token', news: null, email };
  const file = { token: 'token', request: '', error: null };
  const asked: CustomerReply<'askForMyFile'> = {
    deviceName: named('Boat'),
    expiresAt: '2027-11-22T10:00:00.000Z',
    takesPlace: true,
    counts: true,
    of: 2,
    left: 1,
  };
  const made = { file: 'A LICENSE FILE', deviceName: named('Boat'), expiresAt: '2027-11-22T10:00:00.000Z' };
  const question = { license, asked, token: 'token', request: 'A REQUEST' };
  const pages: readonly (readonly [string, View, Content])[] = [
    ['ask', out, askPage(out, first)],
    ['ask-refused', out, askPage(out, { ...first, email: named('ada example.com'), error: 'invalid' })],
    ['ask-signed-out', out, askPage(out, { ...first, arrival: 'signedOut' })],
    ['ask-without-mail', out, askPage(out, { ...first, closed: 'withoutMail' })],
    ['ask-without-shop', out, askPage(out, { ...first, closed: 'withoutShop' })],
    ['code', out, codePage(out, { token: 'token', code: '', error: null })],
    ['code-refused', out, codePage(out, { token: 'token', code: named('K7QW-2MNP'), error: 'notAccepted' })],
    ['code-not-asked', out, codePage(out, { token: null, code: '', error: null })],
    ['link', out, linkPage(out, 'c0de')],
    ['link-ended', out, endedLinkPage(out)],
    ['licenses', view, licensesPage(view, listed)],
    ['licenses-sent', view, licensesPage(view, { ...listed, news: 'keysSent' })],
    ['licenses-none', view, licensesPage(view, { ...listed, licenses: [], nextCursor: null })],
    ['license', view, licensePage(view, { found, news: null, file: null })],
    [
      'license-new-key',
      view,
      licensePage(view, { found: { ...found, newKey: lately }, news: 'newKeyMailed', file: null }),
    ],
    ['new-key', view, newKeyPage(view, { license, token: 'token' })],
    ['license-full', view, licensePage(view, { found: full, news: 'freed', file })],
    [
      'license-file-refused',
      view,
      licensePage(view, { found: full, news: null, file: { ...file, error: { nextAt: spent.nextAt } } }),
    ],
    [
      'license-file-unsupported',
      view,
      licensePage(
        { ...view, shop: { ...shop, supportAddress: null } },
        { found: full, news: null, file: { ...file, error: 'refused' } },
      ),
    ],
    ['file-question', view, fileQuestionPage(view, question)],
    [
      'file-question-again',
      view,
      fileQuestionPage(view, { ...question, asked: { ...asked, takesPlace: false, counts: false, expiresAt: null } }),
    ],
    ['file-made', view, madeFilePage(view, { license, made })],
    ['license-unused', view, licensePage(view, { found: unused, news: null, file: null })],
    ['license-revoked', view, licensePage(view, { found: revoked, news: null, file: null })],
    [
      'license-revoked-unsupported',
      view,
      licensePage({ ...view, shop: { ...shop, supportAddress: null } }, { found: revoked, news: null, file: null }),
    ],
    ['license-spent', view, licensePage(view, { found: { ...found, budget: spent }, news: 'refused', file: null })],
    ['release', view, releasePage(view, { license, device: old, budget: FOUND.budget, token: 'token' })],
    ...(['counts', 'free'] as const).map(
      (kind) =>
        [
          `release-user-${kind}`,
          view,
          releaseUserPage(view, {
            license,
            user: seatHolder('bo@example.com', { release: kind }),
            budget: FOUND.budget,
            token: 'token',
          }),
        ] as const,
    ),
    [
      'release-running',
      view,
      releasePage(view, {
        license,
        device: { ...old, running: true, release: 'free' },
        budget: FOUND.budget,
        token: 'token',
      }),
    ],
    ...(Object.keys(TEXTS[language].notices) as (keyof (typeof TEXTS)[Language]['notices'])[]).map(
      (notice) => [`notice-${notice}`, out, noticePage(out, notice)] as const,
    ),
  ];
  return pages.map(([of, from, content]) => ({ name: of, view: from, content }));
}
