/** The client endpoints that are measured (rules 4.1). */

/** In the order in which they are measured: the last ones write, and what they leave behind should not burden the first. */
export const ENDPOINTS = ['verify', 'validate', 'heartbeat', 'activate'] as const;

/** One of them, by the name that is also its path without the slash. */
export type Endpoint = (typeof ENDPOINTS)[number];
