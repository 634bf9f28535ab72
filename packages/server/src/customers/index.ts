/** What concerns a customer whatever they bought. */
import { forgetCustomer } from './forget-customer.ts';

export const customerEndpoints = [forgetCustomer];
