/** The words about seats of named users. */
import type { License } from '../api/contract.ts';

/** When the seat of a user is free: '' is after its release. */
export type SeatRule = '' | 'float';

export const SEAT_RULES: Readonly<Record<SeatRule, string>> = {
  '': 'Kept until released',
  float: 'Free with the last machine',
};

/** The rule of a license or a variant. */
export function seatRuleOf({ usersFloat }: Pick<License, 'usersFloat'>): SeatRule {
  return usersFloat === true ? 'float' : '';
}
