/** Endpoints about a customer across all purchases. */
import type { Slice } from '../endpoint/slice.ts';
import { forgetCustomer } from './forget-customer.ts';
import { customerTables } from './tables.ts';

export const customers: Slice = {
  sections: [
    {
      title: 'Customers',
      description: 'Everything about a customer across purchases. For the operator only.',
      endpoints: [forgetCustomer],
    },
  ],
  tables: customerTables,
};
