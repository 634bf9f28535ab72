/** Makes the visitor's side of a page: its shop, language, and address. */
import { formToken } from './cookies.ts';
import { addressOf, type Shop, type View } from './frame.ts';
import type { CallForCustomer, Visitor } from './visitor.ts';

/** The brand of a page whose shop cannot be read. */
export const PLAIN_SHOP: Shop = {
  name: 'Latchkey',
  supportAddress: null,
  supportUrl: null,
  accent: null,
  logo: false,
  signIn: 'link',
  hasForm: true,
};

/** The shop that the address names; null for the operator's own pages. */
export function shopOf({ query }: Pick<Visitor, 'query'>): string | null {
  const { shop = '' } = query;
  return shop === '' ? null : shop;
}

/** The view of a page before a session. `path` is where its form is, because a POST has no page of its own. */
export async function openView(
  visitor: Visitor,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<View> {
  const shopId = shopOf(visitor);
  return viewOf(visitor, shopId, addressOf(path, { shop: shopId, ...query }), null);
}

/** The view of a page of a session. `signedIn` holds the session's address and shop, as the service replied them. */
export async function signedInView(
  visitor: Visitor,
  secret: string,
  signedIn: { readonly email: string; readonly shop: string | null },
  here: string,
): Promise<View> {
  const { email, shop: shopId } = signedIn;
  return viewOf(visitor, shopId, here, { email, signOutToken: formToken(secret, 'sign-out') });
}

async function viewOf(
  { language, call }: Visitor,
  shopId: string | null,
  here: string,
  session: View['session'],
): Promise<View> {
  return { language, shopId, shop: await shopNamed(call, shopId), here, session };
}

async function shopNamed(call: CallForCustomer, shopId: string | null): Promise<Shop> {
  const answer = await call('showShop', shopId === null ? {} : { shop: shopId });
  if ('reply' in answer) return answer.reply;
  // A name that no shop can have gets the operator's brand, as a shop that does not exist.
  return answer.refusal.status === 400 && shopId !== null ? shopNamed(call, null) : PLAIN_SHOP;
}
