/** The products of the shop in the history. */
import type { RequestOf } from '../../contract.d.ts';
import type { Kind } from './rhythm.ts';

/** An edition and its share of the sales. */
export interface SoldVariant extends Omit<RequestOf<'/createVariant'>, 'productId'> {
  /** Relative weight: roughly the percentage of licenses sold. */
  readonly weight: number;
}

/** A product with its editions. */
export interface SoldProduct {
  readonly slug: string;
  readonly name: string;
  readonly creatorId: string;
  readonly kind: Kind;
  readonly variants: readonly SoldVariant[];
  /** A later status, and the share of the history after which it begins. */
  readonly fate?: { readonly status: 'live' | 'unlisted' | 'archived'; readonly share: number };
  /** Initial status. */
  readonly status?: 'live' | 'unlisted';
}

export const PRODUCTS: readonly SoldProduct[] = [
  {
    slug: 'tapehead',
    name: 'Tapehead, a tape echo',
    creatorId: 'lumen-audio',
    kind: 'studio',
    variants: [
      { name: 'indie', maxMachines: 2, price: 4900, features: { heads: 2, midi: false }, weight: 16 },
      {
        name: 'pro',
        maxMachines: 3,
        price: 9900,
        updatesDays: 365,
        features: { heads: 4, midi: true, presets: 'vintage' },
        weight: 8,
      },
      { name: 'studio', licenseType: 'floating', maxConcurrent: 4, price: 19900, weight: 0 },
    ],
  },
  {
    slug: 'glasshouse',
    name: 'Glasshouse, a reverb',
    creatorId: 'lumen-audio',
    kind: 'studio',
    variants: [{ name: 'indie', maxMachines: 2, price: 5900, defaultTrialDays: 14, trialWithoutKey: true, weight: 19 }],
  },
  {
    slug: 'drumlin',
    name: 'Drumlin, a drum machine',
    creatorId: 'lumen-audio',
    kind: 'studio',
    variants: [{ name: 'monthly', maxMachines: 2, durationDays: 30, graceDays: 7, price: 900, weight: 16 }],
  },
  {
    slug: 'old-spring',
    name: 'Old Spring, a spring reverb',
    creatorId: 'lumen-audio',
    kind: 'studio',
    variants: [{ name: 'indie', maxMachines: 2, price: 1900, weight: 3 }],
    fate: { status: 'archived', share: 0.45 },
  },
  {
    slug: 'framewright',
    name: 'Framewright, a layout editor',
    creatorId: 'north-pixel',
    kind: 'work',
    variants: [
      {
        name: 'yearly',
        maxMachines: 3,
        durationDays: 365,
        graceDays: 14,
        releaseIdleDays: 60,
        price: 12000,
        meters: { 'pdf-exports': { limit: 40, period: 'month' } },
        weight: 16,
      },
      { name: 'team', licenseType: 'floating', maxConcurrent: 8, durationDays: 365, price: 72000, weight: 0 },
      {
        name: 'members',
        maxMachines: -1,
        maxUsers: 6,
        maxMachinesPerUser: 2,
        durationDays: 365,
        price: 54000,
        weight: 0,
      },
      { name: 'campus', licenseType: 'site', maxMachines: -1, durationDays: 365, price: 250000, weight: 0 },
    ],
  },
  {
    slug: 'kerning-lab',
    name: 'Kerning Lab, a font editor',
    creatorId: 'north-pixel',
    kind: 'work',
    variants: [
      { name: 'indie', maxMachines: 2, price: 8900, weight: 11 },
      { name: 'foundry', licenseType: 'floating', maxConcurrent: 3, price: 42000, weight: 0 },
    ],
  },
  {
    slug: 'sketchbook',
    name: 'Sketchbook, a beta',
    creatorId: 'north-pixel',
    kind: 'work',
    status: 'unlisted',
    variants: [{ name: 'beta', maxMachines: 1, durationDays: 60, weight: 3 }],
    fate: { status: 'live', share: 0.8 },
  },
  {
    slug: 'contour',
    name: 'Contour, a map editor',
    creatorId: 'harbour-maps',
    kind: 'work',
    variants: [
      {
        name: 'professional',
        maxMachines: 2,
        durationDays: 365,
        price: 24000,
        meters: { tiles: { limit: 10_000, period: 'month', overage: 'count' } },
        weight: 8,
      },
      { name: 'department', licenseType: 'floating', maxConcurrent: 10, durationDays: 365, price: 180000, weight: 0 },
      { name: 'site', licenseType: 'site', maxMachines: 40, durationDays: 365, price: 320000, weight: 0 },
    ],
  },
];

/** A trial code of the shop. */
export interface TrialCode {
  readonly code: string;
  readonly productId: string;
  readonly trialDays: number;
  readonly maxUses?: number;
  /** Percentage of trials with this code. */
  readonly weight: number;
}

export const TRIAL_CODES: readonly TrialCode[] = [
  { code: 'TRY-GLASS', productId: 'glasshouse', trialDays: 14, weight: 45 },
  { code: 'SPRING-TAPE', productId: 'tapehead', trialDays: 10, maxUses: 25, weight: 25 },
  { code: 'CONTOUR-30', productId: 'contour', trialDays: 30, weight: 18 },
  { code: 'MEETUP-KERNING', productId: 'kerning-lab', trialDays: 7, maxUses: 40, weight: 12 },
];

/** The staff of the creators' support desks; their API keys have these names. */
export const SUPPORT_DESKS: Readonly<Record<string, string>> = {
  'lumen-audio': 'Ines, support',
  'north-pixel': 'Olaf, support',
  'harbour-maps': 'Maud, support',
};

/** The brands of the pages for customers and of e-mails, by creator; null is the operator's. */
export const BRANDS: readonly (Omit<RequestOf<'/updateBrand'>, 'creatorId'> & { readonly owner: string | null })[] = [
  {
    owner: null,
    name: 'Plugin Harbour',
    supportAddress: 'help@plugin-harbour.example',
    accent: '#1f6f5c',
  },
  {
    owner: 'lumen-audio',
    name: 'Lumen Audio',
    supportAddress: 'help@lumen-audio.example',
    accent: '#b3452c',
    allowsNewKeys: true,
    productLinks: ['tapehead', 'glasshouse', 'drumlin'].map((productId) => ({
      productId,
      download: `https://lumen-audio.example/${productId}/download`,
      receipt: 'https://lumen-audio.example/orders',
      ...(productId === 'drumlin' ? { renew: 'https://lumen-audio.example/drumlin/plan' } : {}),
    })),
  },
  {
    owner: 'north-pixel',
    name: 'North Pixel',
    supportAddress: 'hello@north-pixel.example',
    accent: '#2f5fd0',
    productLinks: [
      {
        productId: 'framewright',
        download: 'https://north-pixel.example/framewright',
        renew: 'https://north-pixel.example/framewright/renew',
      },
    ],
  },
];

/** An organisation that buys one license for many machines. */
export interface Organisation {
  readonly name: string;
  readonly email: string;
  readonly country: string;
  readonly productId: string;
  readonly variant: string;
  /** Number of its computers. With more computers than slots, some of them have to wait at times. */
  readonly machines: number;
  /** Prefix of their hostnames. */
  readonly hostname: string;
  /** Share of the history after which it buys. */
  readonly share: number;
  /** The people who share its computers, if its license is for named users. One who is too many gets no seat. */
  readonly people?: readonly string[];
}

export const ORGANISATIONS: readonly Organisation[] = [
  {
    name: 'Studio Hansen',
    email: 'it@studio-hansen.example',
    country: 'DK',
    productId: 'tapehead',
    variant: 'studio',
    machines: 6,
    hostname: 'hansen-room',
    share: 0.01,
  },
  {
    name: 'Blue Door Mixing',
    email: 'desk@blue-door.example',
    country: 'US',
    productId: 'tapehead',
    variant: 'studio',
    machines: 5,
    hostname: 'bluedoor',
    share: 0.12,
  },
  {
    name: 'Atelier Nord',
    email: 'admin@atelier-nord.example',
    country: 'SE',
    productId: 'framewright',
    variant: 'team',
    machines: 11,
    hostname: 'nord-ws',
    share: 0.02,
  },
  {
    name: 'Rivera & Partners',
    email: 'systems@rivera.example',
    country: 'US',
    productId: 'framewright',
    variant: 'team',
    machines: 10,
    hostname: 'RIVERA-PC',
    share: 0.2,
  },
  {
    name: 'Kanda Type',
    email: 'office@kanda-type.example',
    country: 'JP',
    productId: 'kerning-lab',
    variant: 'foundry',
    machines: 5,
    hostname: 'kanda',
    share: 0.05,
  },
  {
    name: 'City of Westerhaven',
    email: 'gis@westerhaven.example',
    country: 'NL',
    productId: 'contour',
    variant: 'department',
    machines: 14,
    hostname: 'GIS',
    share: 0.03,
  },
  {
    name: 'Harbour Authority',
    email: 'maps@harbour-authority.example',
    country: 'AU',
    productId: 'contour',
    variant: 'department',
    machines: 12,
    hostname: 'HA-MAP',
    share: 0.3,
  },
  {
    name: 'Copper Press',
    email: 'office@copper-press.example',
    country: 'IE',
    productId: 'framewright',
    variant: 'members',
    machines: 9,
    hostname: 'copper',
    share: 0.04,
    people: ['aoife', 'brendan', 'ciara', 'declan', 'eimear', 'fionn', 'grainne'],
  },
  {
    name: 'Northfield University',
    email: 'it@northfield.example',
    country: 'GB',
    productId: 'framewright',
    variant: 'campus',
    machines: 46,
    hostname: 'lab',
    share: 0.02,
  },
  {
    name: 'Geo Institute',
    email: 'pool@geo-institute.example',
    country: 'DE',
    productId: 'contour',
    variant: 'site',
    machines: 38,
    hostname: 'geo-pool',
    share: 0.15,
  },
];
