import { inner } from '../../platform/endpoint/inner.ts';
import { deleteCustomerSession } from './session-store.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/** Ends a session; also one that is unknown or over. */
export const signOutCustomer = inner('signOutCustomer', CUSTOMER, CUSTOMER_CALLS.signOutCustomer, []).write(
  async (tx, { fields }) => {
    await deleteCustomerSession(tx, fields.session);
    return {};
  },
);
