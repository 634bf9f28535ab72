/** The endpoint for every report of the storefront. */
import { storefrontWebhook } from './storefront-webhook.ts';

export const storefrontEndpoints = [storefrontWebhook];
