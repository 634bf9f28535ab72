/** The measured client endpoints (rules 4.1). */

/** In order of measurement: the last ones write, and their rows should not burden the first. */
export const ENDPOINTS = ['verify', 'validate', 'heartbeat', 'activate'] as const;

/** Name of an endpoint, which is also its path without the slash. */
export type Endpoint = (typeof ENDPOINTS)[number];
