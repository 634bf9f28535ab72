/** The types of requests and replies, made from the service's endpoints. Nothing of the service's code is imported. */
export type * from '../../../server/contract.d.ts';
