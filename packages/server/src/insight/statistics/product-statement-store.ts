/** Statements about all products, or about one of them. */
import { type Dialect, type Sql, statement, type Value } from '../../storage/contract/storage.ts';

/** Runs a statement about one product; null stands for all products. */
type RunByProduct = <Row>(sql: Sql, productId: string | null, ...values: Value[]) => Promise<Row[]>;

/**
 * Declares a statement about all products, and the same about one.
 *
 * @param last the last parameter, which holds the product
 * @param text gets this parameter; null in the statement about all products
 */
export function statementByProduct(
  name: string,
  last: `$${number}`,
  text: (dialect: Dialect, product: string | null) => string,
): RunByProduct {
  const ofAll = statement(name, (dialect) => text(dialect, null));
  const ofOne = statement(`${name}_of_product`, (dialect) => text(dialect, last));
  return (sql, productId, ...values) =>
    productId === null ? sql.all(ofAll, ...values) : sql.all(ofOne, ...values, productId);
}
