/** Every source: another seller is added with its file and its line here. */
import { fastSpring } from './fastspring.ts';
import { gumroad } from './gumroad.ts';
import { lemonSqueezy } from './lemonsqueezy.ts';
import { paddle } from './paddle.ts';
import { polar } from './polar.ts';
import { shopify } from './shopify.ts';
import type { Source, SourceName } from './source.ts';
import { stripe } from './stripe.ts';
import { wooCommerce } from './woocommerce.ts';

export const SOURCES: readonly Source[] = [
  stripe,
  lemonSqueezy,
  paddle,
  gumroad,
  polar,
  fastSpring,
  wooCommerce,
  shopify,
];

const byName = new Map(SOURCES.map((source) => [source.name, source]));

/** The source of this name. */
export function sourceNamed(name: SourceName): Source {
  return byName.get(name)!;
}
