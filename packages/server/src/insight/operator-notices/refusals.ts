/** Refusals about e-mails to the operator. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const operatorNoticeRefusals = refusals('mails', {
  not_operator_address: refusal(409, 'LATCHKEY_OPERATOR_EMAIL does not name this address', {
    means: '`LATCHKEY_OPERATOR_EMAIL` names no address, or others than `to`.',
    remedy: 'Set `LATCHKEY_OPERATOR_EMAIL` on each node, or use `latchkey send-test-mail ADDRESS`.',
    console: ['This is no address of the operator.', 'LATCHKEY_OPERATOR_EMAIL names the addresses.'],
  }),
  operator_test_rate: refusal(429, 'Too many test e-mails. Try again later.', {
    means: 'An address of the operator got ten test e-mails within an hour.',
    remedy: 'Wait for `Retry-After`, or use `latchkey send-test-mail ADDRESS`.',
    console: ['Ten test e-mails were sent within an hour.', 'Wait, then try again.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof operatorNoticeRefusals> {}
}
