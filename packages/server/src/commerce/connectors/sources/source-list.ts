/** Every source: another seller is added with its file and its line here. */
import { fastSpring } from './fastspring.ts';
import { gumroad } from './gumroad.ts';
import { lemonSqueezy } from './lemonsqueezy.ts';
import { paddle } from './paddle.ts';
import { polar } from './polar.ts';
import { shopify } from './shopify.ts';
import type { Source } from './source.ts';
import { stripe } from './stripe.ts';
import { wooCommerce } from './woocommerce.ts';

/** In the order of the choice in the console. */
export const SOURCES = [stripe, lemonSqueezy, paddle, gumroad, polar, fastSpring, wooCommerce, shopify] as const;

export type SourceName = (typeof SOURCES)[number]['name'];

export const SOURCE_NAMES: readonly SourceName[] = SOURCES.map(({ name }) => name);

const byName = new Map<SourceName, Source>(SOURCES.map((source) => [source.name, source]));

/** The source of this name. */
export function sourceNamed(name: SourceName): Source {
  return byName.get(name)!;
}

/** Whether the API of a seller lists its events, so that missed ones can be read. */
export function listsEvents({ lookUps }: Source): boolean {
  return (lookUps?.catchUp.length ?? 0) > 0;
}

/** The steps at a seller with the values to paste. */
export function setupSteps(source: SourceName, url: string, secret: string | null): string[] {
  const { steps } = sourceNamed(source);
  return steps.map((step) => step.replace('{url}', url).replace('{secret}', secret ?? 'the secret'));
}

/** The facts of the sellers that the console shows, by the name of the source. */
export const SELLER_WORDS = Object.fromEntries(
  SOURCES.map((source: Source) => [
    source.name,
    {
      title: source.title,
      isSigned: source.secret !== 'none',
      issuesKeys: source.issuesKeys === true,
      hasBroadKeys: source.hasBroadKeys === true,
      listsEvents: listsEvents(source),
    },
  ]),
);
