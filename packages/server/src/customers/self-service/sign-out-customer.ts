import { customerEndpoint } from '../../platform/endpoint/customer-endpoint.ts';
import { deleteCustomerSession } from './session-store.ts';
import { CUSTOMER_CALLS } from './shapes.ts';

/** Ends a session; also one that is unknown or over. */
export const signOutCustomer = customerEndpoint('signOutCustomer', CUSTOMER_CALLS.signOutCustomer, []).write(
  async (tx, { fields }) => {
    await deleteCustomerSession(tx, fields.session);
    return {};
  },
);
