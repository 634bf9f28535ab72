/** Finds the order of a thank-you page by an id that only its buyer knows. */
import { type Sql, statement } from '../../storage/contract/storage.ts';
import type { Connector } from './connector.ts';
import { findConnector } from './connector-store.ts';
import { sourceNamed } from './sources/source-list.ts';
import type { Subject } from './subject.ts';
import { findSubject } from './subject-store.ts';

/** Connectors that know an id: one seller may report to several. */
const MAX_ALIKE = 4;

const listReferences = statement(
  'shop_reference.list_of_any',
  `select r.connector_id as "connectorId", r.subject_id as "subjectId", r.kind from shop_reference r
   where r.external_id = $1 and r.kind in ('session', 'order') and r.is_later = 0
   order by r.kind, r.connector_id limit ${MAX_ALIKE}`,
);

/** An order, and the connector that knows it. */
export interface FoundOrder {
  readonly connector: Connector;
  readonly subject: Subject;
}

/** The order that a secret reference of its seller names; undefined for every other id. */
export async function findOrder(sql: Sql, session: string): Promise<FoundOrder | undefined> {
  const rows = await sql.all<{ readonly connectorId: string; readonly subjectId: string; readonly kind: string }>(
    listReferences,
    session,
  );
  for (const { connectorId, subjectId, kind } of rows) {
    const connector = await findConnector(sql, connectorId, { creatorId: null });
    if (connector === undefined || sourceNamed(connector.source).secretReference !== kind) continue;
    const subject = await findSubject(sql, connectorId, subjectId);
    if (subject !== undefined) return { connector, subject };
  }
  return undefined;
}
