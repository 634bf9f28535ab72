/** The remains of a deleted connector: events and sales that nothing reaches any more. A job deletes them in steps. */
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';

/** The tables of sales and events with their keys beside the connector. */
const TABLES = {
  shop_waiting: ['kind', 'external_id', 'event_id'],
  shop_fact: ['fact_key'],
  shop_key: ['subject_id', 'license_key'],
  shop_unit: ['subject_id', 'line', 'unit'],
  shop_reference: ['kind', 'external_id'],
  shop_subject: ['subject_id'],
  shop_customer: ['external_id'],
} as const;

const removals = [
  ...Object.entries(TABLES).map(([table, key]) => {
    const columns = ['connector_id', ...key];
    return statement(
      `${table}.delete_of_connector`,
      `delete from ${table} where (${columns.join(', ')}) in
        (select ${columns.map((column) => `t.${column}`).join(', ')} from ${table} t where t.connector_id = $1
         order by ${columns.map((column) => `t.${column}`).join(', ')} limit $2)`,
    );
  }),
  statement(
    'shop_event.delete_of_connector',
    `delete from shop_event where event_id in
      (select e.event_id from shop_event e where e.connector_id = $1 order by e.received_at, e.event_id limit $2)`,
  ),
];

const insert = statement('connector_remains.insert', 'insert into connector_remains (connector_id) values ($1)');
const findFirst = writeStatement(
  'connector_remains.find_first',
  (dialect) => `select r.connector_id as "connectorId" from connector_remains r where r.connector_id > ''
    order by r.connector_id limit 1 ${dialect.forUpdate}`,
);
const remove = statement('connector_remains.delete', 'delete from connector_remains where connector_id = $1');

/** Notes that a connector was deleted. */
export async function noteRemains(tx: Tx, connectorId: string): Promise<void> {
  await tx.run(insert, connectorId);
}

/**
 * Deletes some rows that a deleted connector left.
 *
 * @returns whether there may be more
 */
export async function removeRemains(tx: Tx, most: number): Promise<boolean> {
  const first = await tx.first<{ readonly connectorId: string }>(findFirst);
  if (first === undefined) return false;
  for (const removal of removals) if ((await tx.run(removal, first.connectorId, most)) > 0) return true;
  await tx.run(remove, first.connectorId);
  return true;
}

/** Whether a deleted connector left anything. */
export async function hasRemains(sql: Sql): Promise<boolean> {
  return (await sql.first(findAny)) !== undefined;
}
const findAny = statement(
  'connector_remains.find_any',
  'select r.connector_id as "connectorId" from connector_remains r where r.connector_id > \'\' order by r.connector_id limit 1',
);
