/** The stand-ins of all sellers. */
import { fastSpringSeller } from './fastspring.ts';
import { gumroadSeller } from './gumroad.ts';
import { lemonSqueezySeller } from './lemonsqueezy.ts';
import { paddleSeller } from './paddle.ts';
import { POLAR_KEYS, polarSeller } from './polar.ts';
import type { Buyer, Seller } from './seller.ts';
import { SHOPIFY_HEADERS, shopifySeller } from './shopify.ts';
import { STRIPE_VERSIONS, stripeSeller } from './stripe.ts';
import { wooCommerceSeller } from './woocommerce.ts';

type MakeSeller = (buyer: Buyer) => Seller;

/** A seller in each shape in which it tells the same story. */
const inShapes = <Shape extends string>(
  name: string,
  shapes: readonly Shape[],
  make: (buyer: Buyer, shape: Shape) => Seller,
): Readonly<Record<string, MakeSeller>> =>
  Object.fromEntries(shapes.map((shape) => [`${name} ${shape}`, (buyer: Buyer) => make(buyer, shape)]));

/** Each seller by its name and shape. */
export const SELLERS: Readonly<Record<string, MakeSeller>> = {
  ...inShapes('stripe', STRIPE_VERSIONS, stripeSeller),
  lemonsqueezy: lemonSqueezySeller,
  paddle: paddleSeller,
  gumroad: gumroadSeller,
  ...inShapes('polar', POLAR_KEYS, polarSeller),
  fastspring: fastSpringSeller,
  woocommerce: wooCommerceSeller,
  ...inShapes('shopify', SHOPIFY_HEADERS, shopifySeller),
};
