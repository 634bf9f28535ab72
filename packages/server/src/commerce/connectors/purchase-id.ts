/** The purchaseIds of a connector's sales: `<prefix>:<order>`, then `<prefix>:<order>#2`. */
import { hash } from 'node:crypto';
import type { ConnectorMode } from './settings.ts';
import type { Sold } from './sources/facts.ts';

const MAX_LENGTH = 255;
/** More units of a line than this are a person's decision. */
export const MAX_UNITS = 1000;
const TEST_PREFIX = 'test';

/** An order of a connector. */
export interface ConnectorOrder {
  readonly prefix: string;
  readonly mode: ConnectorMode;
  readonly order: string;
}

/**
 * The purchaseId of a unit of an order.
 *
 * @param number of the unit in the whole order, from 1
 */
export function purchaseIdOf({ prefix, mode, order }: ConnectorOrder, number: number): string {
  const before = `${mode === 'test' ? `${TEST_PREFIX}:` : ''}${prefix}:`;
  const behind = number === 1 ? '' : `#${number}`;
  const whole = `${before}${order}${behind}`;
  return whole.length <= MAX_LENGTH ? whole : `${before}${hash('sha256', order)}${behind}`;
}

/**
 * The number of a unit in its order, from 1. It depends on what the seller told alone: a line that is mapped later does
 * not move the others.
 */
export function unitNumber(sold: Pick<Sold, 'lines'>, lineIndex: number, unit: number): number {
  const before = sold.lines.slice(0, lineIndex);
  return before.reduce((sum, { quantity }) => sum + Math.min(Math.max(quantity, 1), MAX_UNITS), 0) + unit;
}
