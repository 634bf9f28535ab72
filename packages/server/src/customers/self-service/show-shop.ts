import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { findBrand, findLogo } from '../brand/store.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/** The name on pages without a brand. */
const DEFAULT_NAME = 'Latchkey';

/** The brand of a page. A shop that nobody knows looks like one without a brand. */
export const showShop = inner('showShop', CUSTOMER, CUSTOMER_CALLS.showShop, []).read(
  async (sql, { fields, ruleContext }) => {
    const { selfService, sendsMail } = ruleContext.settings;
    const brand = await findBrand(sql, fields.shop ?? null);
    return {
      name: brand?.name ?? DEFAULT_NAME,
      supportAddress: brand?.supportAddress ?? null,
      supportUrl: brand?.supportUrl ?? null,
      accent: brand?.accent ?? null,
      logo: brand?.hasLogo ?? false,
      signIn: sendsMail ? ('code' as const) : ('link' as const),
      hasForm: selfService?.mode === 'on' || fields.shop !== undefined,
    };
  },
);

/** The logo of a page. */
export const showLogo = inner('showLogo', CUSTOMER, CUSTOMER_CALLS.showLogo, ['no_logo']).read(
  async (sql, { fields }) => (await findLogo(sql, fields.shop ?? null)) ?? refuse('no_logo'),
);
