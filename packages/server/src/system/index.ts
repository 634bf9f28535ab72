/** The endpoints of the system, in the order of rules 4.14. */
import { getSystem } from './get-system.ts';

export const systemEndpoints = [getSystem];
