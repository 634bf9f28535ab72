/**
 * The types of requests and replies, derived from the service's endpoints. Only types are imported, none of the
 * service's code.
 */
export type * from '../../../server/contract.d.ts';
