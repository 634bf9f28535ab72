/** Refusals about studio orders and their seats. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const studioOrderRefusals = refusals('studio orders', {
  seat_code_not_found: refusal(404, 'Code not found', {
    means: 'No seat has this code.',
    remedy: 'Look for a typing mistake.',
    console: ['There is no such seat code.', NOT_YOURS],
  }),
  seat_code_redeemed: refusal(409, 'Code already redeemed', {
    means: 'The seat is taken; the answer names the user and the time.',
    remedy: 'Use another code of the order.',
    console: ['The seat code was redeemed already.', 'Nothing was changed.'],
  }),
  seat_already_held: refusal(409, 'User already has a seat in this studio order', {
    means: 'The user already has a seat of this order.',
    remedy: 'Give the code to another user.',
    console: ['This person has a seat in the order already.', 'Nothing was changed.'],
  }),
  studio_order_not_found: refusal(404, 'Studio order not found', {
    means: 'The order does not exist, or belongs to another creator.',
    remedy: 'Check the `studioOrderId`.',
    console: ['There is no such order.', NOT_YOURS],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof studioOrderRefusals> {}
}
