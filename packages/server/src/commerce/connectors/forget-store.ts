/** Forgets a buyer: a pseudonym takes the place of the address in sales, and the bodies of the sellers' events go. */
import { listOf, statement, type Tx } from '../../storage/contract/storage.ts';
import { lockConnector } from './connector-store.ts';
import { emptyBodies, listEventIdsOfSubject } from './event-store.ts';

/** Events of one sale whose bodies go. A subscription that renews each month for a century has 1,200. */
const EVENTS_OF_SALE = 2_000;
/** Sales in one step, each with the lock of its connector and its events. */
const SALES_AT_ONCE = 50;

interface Sale {
  readonly connectorId: string;
  readonly subjectId: string;
}

const listSales = statement(
  'shop_subject.list_of_address',
  `select s.connector_id as "connectorId", s.subject_id as "subjectId" from shop_subject s
   where s.email_folded = $1 order by s.connector_id, s.subject_id limit $2`,
);

const replaceInSale = statement(
  'shop_subject.forget_address',
  `update shop_subject set email = $3, email_folded = $3 where connector_id = $1 and subject_id = $2`,
);

const replaceInCustomers = statement(
  'shop_customer.forget_address',
  (dialect) => `update shop_customer set email = $2, email_folded = $2
    where connector_id || ' ' || external_id ${dialect.among('$3')} and email_folded = $1`,
);

const listCustomers = statement(
  'shop_customer.list_of_address',
  `select c.connector_id || ' ' || c.external_id as "name" from shop_customer c
   where c.email_folded = $1 order by c.connector_id, c.external_id limit $2`,
);

/**
 * Replaces an address in sales and customers of sellers, at most `most` or 50 of each, and empties the bodies of the
 * events of these sales. Returns the number of sales and customers.
 */
export async function forgetInShops(tx: Tx, emailFolded: string, pseudonym: string, most: number): Promise<number> {
  const sales = await tx.all<Sale>(listSales, emailFolded, Math.min(most, SALES_AT_ONCE));
  for (const { connectorId, subjectId } of sales) {
    // A node that applies an event of this sale has read the address, and would write it back.
    await lockConnector(tx, connectorId, { creatorId: null });
    await emptyBodies(tx, await listEventIdsOfSubject(tx, connectorId, subjectId, EVENTS_OF_SALE));
    await tx.run(replaceInSale, connectorId, subjectId, pseudonym);
  }
  const customers = await tx.all<{ readonly name: string }>(listCustomers, emailFolded, Math.min(most, SALES_AT_ONCE));
  if (customers.length > 0)
    await tx.run(replaceInCustomers, emailFolded, pseudonym, listOf(customers.map(({ name }) => name)));
  return sales.length + customers.length;
}
