/** The storefront slice: one endpoint for all that the storefront reports. */
import { storefrontWebhook } from './storefront-webhook.ts';

export const storefrontEndpoints = [storefrontWebhook];
