/** The endpoint for everything that the storefront reports. */
import { storefrontWebhook } from './storefront-webhook.ts';

export const storefrontEndpoints = [storefrontWebhook];
