/** The start of the shop and later changes by its staff: the catalogue, trial codes, API keys, brands, destinations. */
import { DAY_MS, HOUR_MS, toTimestamp } from '../../src/ground/base/clock.ts';
import { BRANDS, PRODUCTS, SUPPORT_DESKS, TRIAL_CODES } from './catalogue.ts';
import { momentAt, type Past } from './past.ts';

/** Creates the catalogue, the trial codes, the keys of the support desks and the brands. */
export async function openShop({ calls }: Past): Promise<void> {
  for (const [creatorId, name] of Object.entries(SUPPORT_DESKS)) {
    const { apiKey } = await calls.operator('/createApiKey', { creatorId, name });
    calls.useApiKey(creatorId, apiKey);
  }
  for (const { slug, name, creatorId, status = 'live', variants } of PRODUCTS) {
    await calls.operator('/createProduct', { slug, name, creatorId, status });
    for (const { weight: _weight, ...variant } of variants)
      await calls.creator(creatorId, '/createVariant', { productId: slug, ...variant });
  }
  for (const { weight: _weight, ...code } of TRIAL_CODES) {
    const creatorId = PRODUCTS.find(({ slug }) => slug === code.productId)?.creatorId ?? '';
    await calls.creator(creatorId, '/createDiscountCode', code);
  }
  for (const { owner, ...brand } of BRANDS)
    await (owner === null ? calls.operator('/updateBrand', brand) : calls.creator(owner, '/updateBrand', brand));
}

/** Schedules the later changes. */
export function planChanges(past: Past): void {
  const { calls, agenda } = past;
  const plan = (share: number, act: () => Promise<unknown>) =>
    agenda.planAlone(momentAt(past, share) + HOUR_MS, 'catalogue', async () => void (await act()));
  for (const { slug: productId, fate } of PRODUCTS)
    if (fate !== undefined)
      plan(fate.share, () => calls.operator('/updateProduct', { productId, status: fate.status }));
  plan(0.3, () => calls.creator('lumen-audio', '/updateVariant', { variantId: 'glasshouse-indie', price: 6400 }));
  plan(0.55, () => calls.creator('lumen-audio', '/updateDiscountCode', { code: 'SPRING-TAPE', active: false }));
  plan(0.6, () =>
    calls.creator('north-pixel', '/createDiscountCode', {
      code: 'FRAME-OPEN-DAY',
      productId: 'framewright',
      trialDays: 21,
      maxUses: 200,
      expiresAt: toTimestamp(agenda.end + 20 * DAY_MS),
    }),
  );
  plan(0.1, () => calls.operator('/createApiKey', { creatorId: 'lumen-audio', name: 'old build server' }));
  plan(0.7, async () => {
    const { keys } = await calls.operator('/listApiKeys', { creatorId: 'lumen-audio' });
    const hash = keys.find(({ name }) => name === 'old build server')?.hash;
    if (hash !== undefined) await calls.operator('/revokeApiKey', { apiKeyToRevoke: hash });
  });
  planDecisions(past, plan);
  planDestinations(past, plan);
}

/** Schedules two destinations of events in the last weeks: one that works, and one that was out of order at first. */
function planDestinations(
  { calls, outside, begin, agenda }: Past,
  plan: (share: number, act: () => Promise<unknown>) => void,
): void {
  const { bookkeeping, newsletter } = outside.receivers;
  const daysBeforeEnd = (days: number) => Math.max(0.2, 1 - (days * DAY_MS) / (agenda.end - begin));
  plan(daysBeforeEnd(16), () =>
    calls.operator('/createDestination', {
      url: bookkeeping,
      description: 'Bookkeeping',
      types: ['license.created', 'license.renewed', 'license.revoked'],
    }),
  );
  plan(daysBeforeEnd(14), () =>
    calls.operator('/createDestination', {
      url: newsletter,
      description: 'Newsletter of new customers',
      types: ['license.created'],
      includePersonalData: true,
    }),
  );
}

/** Schedules the operator's decisions on single licenses. */
function planDecisions({ calls, sold }: Past, plan: (share: number, act: () => Promise<unknown>) => void): void {
  const nth = (place: number) => sold[Math.floor(place * sold.length)];
  for (const [share, place] of [
    [0.5, 0.31],
    [0.86, 0.64],
  ] as const)
    plan(share, async () => {
      const license = nth(place);
      if (license !== undefined)
        await calls.operator('/revokeLicense', { licenseKey: license.licenseKey, reason: 'fraud' });
    });
  plan(0.74, async () => {
    const revoked = await calls.operator('/listLicenses', { status: 'revoked' });
    const [withdrawn] = revoked.licenses;
    if (withdrawn !== undefined) await calls.operator('/reinstateLicense', { licenseKey: withdrawn.key });
  });
  plan(0.66, async () => {
    const license = nth(0.4);
    if (license !== undefined)
      await calls.operator('/changeEmail', { licenseKey: license.licenseKey, newEmail: 'new.address@example.com' });
  });
}
