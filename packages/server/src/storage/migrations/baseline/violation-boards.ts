/**
 * The boards of violations list the most severe first: all violations, or those equal in these columns. Open violations
 * are few and read often, so open and resolved violations have separate indexes.
 */
const VIOLATION_BOARDS = {
  all: [],
  type: ['type'],
  product: ['product_id'],
  // On an expression, so that only a list of one product and one type uses this index, and a list of a product does
  // not.
  product_type: ["(product_id || '')", 'type'],
} as const;

/** The statements that create the indexes of the boards. */
export const BOARD_INDEXES = Object.entries(VIOLATION_BOARDS)
  .flatMap(([name, columns]) =>
    (['open', 'resolved'] as const).map((state) => {
      const order = [...columns, 'severity', 'first_seen', 'license_key', 'violation_id'].join(', ');
      return `create index violation_${state}_by_${name} on violation (${order})
  where resolved_at is ${state === 'open' ? 'null' : 'not null'};`;
    }),
  )
  .join('\n');
