import { type AnyStatement, allStatements } from '../../src/storage/contract/storage.ts';

/**
 * The statements of the service. Other tests and the bench declare statements of their own, `test_x.verb` or
 * `bench.verb`, and may run in this process before.
 */
export function statementsOfService(): readonly AnyStatement[] {
  return allStatements().filter(({ name }) => !/^(?:test|bench)[._]/.test(name));
}
