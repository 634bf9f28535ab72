/** Endpoints about a customer across all purchases. */
import type { Slice } from '../../platform/slice/slice.ts';
import { forgetCustomer } from './forget-customer.ts';
import { getCustomer } from './get-customer.ts';
import { listCustomers } from './list-customers.ts';
import { customerRefusals } from './refusals.ts';
import { customerTables } from './tables.ts';

export const customers: Slice = {
  refusals: [customerRefusals],
  sections: [
    {
      title: 'Customers',
      description: 'Data of a customer across purchases. A customer is an e-mail address.',
      endpoints: [forgetCustomer, getCustomer, listCustomers],
    },
  ],
  tables: customerTables,
};
