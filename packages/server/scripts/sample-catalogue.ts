/** A small realistic catalogue with some sales, stored in a running service through its own API. */
import { type Answer, ScriptError, type ServiceClient } from './service-client.ts';

/** The rows that a run stores; a test counts them. */
const STORED = `  3 products, 5 variants and 1 trial code, unless they are there
  1 API key, 7 licenses, 2 studio orders with 17 seats, each time`;
const DAY_MS = 86_400_000;

/** Stores the catalogue and describes it. @throws ScriptError if a call is refused */
export async function storeSampleCatalogue(service: ServiceClient, say: (line: string) => void): Promise<void> {
  const admin = { 'X-Admin-Secret': service.adminSecret };
  const webhook = { 'x-webhook-secret': service.webhookSecret };
  say(`Stores in the service at ${service.url}, where it stays:\n${STORED}\n`);
  await makeCatalogue();
  await serveCustomers();
  await sellStudioOrders();
  say(`\nLook around: ${service.url}/docs`);

  /** Posts and requires success; 409 means that an earlier run created the item. */
  async function post(path: string, body: object, headers: Record<string, string>): Promise<Answer['body']> {
    const { status, body: answer } = await service.post(path, body, headers);
    if (status >= 400 && status !== 409) throw new ScriptError(`${path} was refused with ${status}: ${answer.error}`);
    return answer;
  }

  async function makeCatalogue(): Promise<void> {
    const products = [
      { creatorId: 'lumen-audio', slug: 'tapehead', name: 'Tapehead, a tape echo' },
      { creatorId: 'lumen-audio', slug: 'glasshouse', name: 'Glasshouse, a reverb' },
      { creatorId: 'north-pixel', slug: 'framewright', name: 'Framewright, a layout editor' },
    ];
    for (const product of products) await post('/createProduct', product, admin);
    const variants = [
      { productId: 'tapehead', name: 'indie', maxMachines: 2, price: 4900 },
      { productId: 'tapehead', name: 'studio', licenseType: 'floating', maxConcurrent: 3, price: 19900 },
      { productId: 'glasshouse', name: 'indie', maxMachines: 2, price: 5900, defaultTrialDays: 14 },
      { productId: 'framewright', name: 'yearly', maxMachines: 3, durationDays: 365, price: 12000 },
      { productId: 'framewright', name: 'campus', licenseType: 'site', maxMachines: -1, price: 250000 },
    ];
    for (const variant of variants) await post('/createVariant', variant, admin);
    await post(
      '/createDiscountCode',
      { code: 'TRY-GLASS', productId: 'glasshouse', trialDays: 14, maxUses: 100 },
      admin,
    );
    const key = await post('/createApiKey', { creatorId: 'lumen-audio', name: 'demo: support desk' }, admin);
    say(`catalogue   3 products, 5 variants, trial code TRY-GLASS`);
    say(`API key     ${key.apiKey}   (lumen-audio; shown this once)`);
  }

  /** Uses a customer's machine: activates, validates, and sends a heartbeat. */
  async function useMachine(licenseKey: string, productId: string, machine: [string, string, string]): Promise<string> {
    const [machineFingerprint, hostname, country] = machine;
    const headers = { 'x-country': country };
    const activation = { licenseKey, machineFingerprint, hostname, productId };
    const { status, body } = await service.post('/activate', activation, headers);
    if (status !== 200) return `${hostname}: ${body.error}`;
    const session = { licenseKey, machineFingerprint, token: body.token };
    await post('/validate', session, headers);
    await post('/heartbeat', session, headers);
    return `${hostname} in ${country}`;
  }

  async function sell(purchase: Record<string, unknown>): Promise<string> {
    const answer = await post(
      '/storefrontWebhook',
      { type: 'purchase.completed', currency: 'eur', ...purchase },
      webhook,
    );
    return answer.licenseKey;
  }

  async function serveCustomers(): Promise<void> {
    const run = Date.now().toString(36);
    const ada = await sell({ email: 'ada@example.com', productId: 'tapehead', purchaseId: `${run}-1`, amount: 4900 });
    const adas: [string, string, string][] = [
      ['ada-desk', "Ada's desktop", 'DE'],
      ['ada-road', "Ada's laptop", 'FR'],
      ['ada-third', "Ada's old laptop", 'PT'],
    ];
    for (const machine of adas) say(`tapehead    ${ada}  ${await useMachine(ada, 'tapehead', machine)}`);

    const band = { email: 'band@example.com', productId: 'tapehead', variant: 'studio', purchaseId: `${run}-2` };
    const studio = await sell({ ...band, amount: 19900 });
    for (const [index, country] of ['JP', 'US', 'BR', 'SE'].entries())
      say(
        `studio      ${studio}  ${await useMachine(studio, 'tapehead', [`band-${index}`, `rack ${index}`, country])}`,
      );

    const yearly = { email: 'grace@example.com', productId: 'framewright', variant: 'yearly', purchaseId: `${run}-3` };
    const grace = await sell({ ...yearly, amount: 12000 });
    await useMachine(grace, 'framewright', ['grace-1', "Grace's workstation", 'US']);
    await post(
      '/storefrontWebhook',
      { ...yearly, type: 'subscription.renewed', amount: 12000, currency: 'eur' },
      webhook,
    );
    say(`renewed     ${grace}`);

    const regret = { email: 'linus@example.com', productId: 'glasshouse', purchaseId: `${run}-4`, amount: 5900 };
    const refunded = await sell(regret);
    await post('/storefrontWebhook', { ...regret, type: 'purchase.refunded', currency: 'eur' }, webhook);
    say(`refunded    ${refunded}`);

    const dispute = { email: 'mallory@example.com', productId: 'glasshouse', purchaseId: `${run}-5`, amount: 5900 };
    const disputed = await sell(dispute);
    await post('/storefrontWebhook', { ...dispute, type: 'purchase.disputed', currency: 'eur' }, webhook);
    say(`chargeback  ${disputed}`);

    const trial = { code: 'try-glass', productId: 'glasshouse', email: `curious-${run}@example.com` };
    const { licenseKey, expiresAt } = await post('/redeemTrialCode', trial, {});
    say(`trial       ${licenseKey} until ${expiresAt}`);

    const expiresSoon = new Date(Date.now() + 3 * DAY_MS).toISOString();
    const campus = {
      email: 'it@university.example',
      productId: 'framewright',
      variant: 'campus',
      expiresAt: expiresSoon,
    };
    const site = await post('/createLicense', campus, admin);
    for (let room = 1; room <= 12; room++)
      await useMachine(site.licenseKey, 'framewright', [`lab-${room}`, `lab ${room}`, 'NL']);
    say(`campus      ${site.licenseKey} with 12 machines, expires in 3 days`);
  }

  async function sellStudioOrders(): Promise<void> {
    const course = {
      courseId: 'c-101',
      courseSlug: 'mixing-basics',
      courseTitle: 'Mixing basics',
      creatorId: 'lumen-audio',
    };
    for (const [buyer, seatCount] of [
      ['studio-a', 5],
      ['studio-b', 12],
    ] as const) {
      const order = {
        ...course,
        buyerEmail: `${buyer}@example.com`,
        buyerUserId: buyer,
        seatCount,
        pricePerSeat: 2500,
        totalAmount: 2500 * seatCount,
        currency: 'eur',
      };
      const { studioOrderId, seats } = await post('/createStudioOrder', order, webhook);
      for (const [index, seat] of seats.slice(0, 2).entries()) {
        const student = `${buyer}-student-${index + 1}`;
        const redemption = {
          code: seat.code,
          redeemerEmail: `${student}@example.com`,
          redeemerUserId: student,
          storefrontPurchaseId: `${studioOrderId}-${index + 1}`,
        };
        await post('/redeemSeatCode', redemption, webhook);
      }
      say(`studio      ${studioOrderId}: ${seatCount} seats, 2 redeemed; next code ${seats[2].code}`);
    }
  }
}
