/** Endpoints about a customer across all purchases. */
import { forgetCustomer } from './forget-customer.ts';

export const customerEndpoints = [forgetCustomer];
