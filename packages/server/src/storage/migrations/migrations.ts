/** Every migration of the service, oldest first. */
import { baseline } from './0001-baseline.ts';
import type { Migration } from './migration.ts';

/**
 * Every migration, in the order of application. Existing databases record the numbers and names, and the SQL of a
 * released migration never changes: a correction is a new migration at the end.
 */
export const migrations: readonly Migration[] = [baseline];
