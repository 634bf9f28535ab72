/** The first calls of a run: the products, variants, codes and keys that the random calls refer to. */
import { ADMIN_SECRET } from '../../test/support/app.ts';
import { PAGE_HEADERS } from '../../test/support/console.ts';
import type { Call } from './calls.ts';
import { AVOIDED } from './declared-differences.ts';
import type { KnownThings, Thing } from './known-things.ts';

const CREATORS = 4;
const VARIANTS: readonly Thing[] = [
  { name: 'pro', maxMachines: 3, durationDays: 30, price: 4900 },
  { name: 'team', licenseType: 'floating', maxConcurrent: AVOIDED.seats },
  { name: 'studio', licenseType: 'site', maxMachines: -1, defaultTrialDays: 14 },
];

function asAdmin(path: string, fields: Thing): Call {
  return {
    method: 'POST',
    path,
    fields,
    headers: { 'x-admin-secret': [ADMIN_SECRET], 'x-forwarded-proto': ['https'], 'x-forwarded-for': ['203.0.113.1'] },
    isRead: false,
  };
}

/** Calls that need nothing else. */
export function firstCalls(): readonly Call[] {
  const ofCreators = Array.from({ length: CREATORS }, (_, index) => {
    const creatorId = `creator-${index}`;
    return [
      asAdmin('/createApiKey', { creatorId, name: `Key of ${creatorId}` }),
      ...[2 * index, 2 * index + 1].flatMap((number) => [
        asAdmin('/createProduct', { name: `Product ${number}`, slug: `product-${number}`, creatorId }),
        ...VARIANTS.map((variant) => asAdmin('/createVariant', { productId: `product-${number}`, ...variant })),
        asAdmin('/createDiscountCode', { code: `Code${number}`, trialDays: 14, productId: `product-${number}` }),
      ]),
    ];
  });
  const roles = ['owner', 'support', 'viewer'];
  return [
    ...ofCreators.flat(),
    ...roles.map((role) => asAdmin('/createOperatorKey', { name: `One of ${role}`, role })),
  ];
}

/** Calls that begin a console session for each known key. */
export function signIns(known: KnownThings): readonly Call[] {
  const secrets = [ADMIN_SECRET, ...known.values('operatorKey'), ...known.values('apiKey')];
  return secrets.map((secret) => {
    const call = asAdmin('/createConsoleSession', { secret });
    const { 'x-admin-secret': _, ...headers } = call.headers;
    const page = Object.entries(PAGE_HEADERS).map(([name, value]) => [name, [value]] as const);
    return { ...call, headers: { ...headers, ...Object.fromEntries(page) } };
  });
}
