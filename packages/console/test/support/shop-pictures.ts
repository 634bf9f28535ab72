/** The pictures in docs/images of a shop that is connected. browser/connect-shop.system.test.ts makes them. */
export const SHOP_PICTURES = {
  setUp: 'shop-set-up.png',
  preview: 'shop-preview.png',
  shop: 'shop.png',
  timeline: 'shop-timeline.png',
} as const;
