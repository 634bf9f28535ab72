import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { viewOf } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { exampleCourse } from './examples.ts';
import { findSeatInScope } from './store.ts';
import { canonicalSeatCode, seatCodeField, seatStatus, seatStatusSchema } from './studio-order.ts';

const reply = Type.Object({
  valid: Type.Literal(true),
  courseId: Type.String({ description: 'The course.' }),
  courseSlug: Type.String({ description: 'The name of the course in addresses.' }),
  courseTitle: Type.String({ description: 'The name of the course for people.' }),
  status: seatStatusSchema,
  seatNumber: Type.Integer({ description: 'From 1 on.' }),
  totalSeats: Type.Integer({ description: 'Seats of the order.' }),
});

/** POST /validateSeatCode (rules 4.9.2). */
export const validateSeatCode = endpoint({
  path: '/validateSeatCode',
  methods: ['POST'],
  access: 'webhook',
  summary: 'Check a seat code without redeeming it',
  description:
    'Tells which course a code opens and whether it has been used. `valid` says that the code exists; only `status` ' +
    'says whether it can still be redeemed.',
  example: {
    after: ['/createStudioOrder'],
    request: { code: MADE_BY_SERVICE.firstSeatCode },
    reply: { valid: true, ...exampleCourse, status: 'available', seatNumber: 1, totalSeats: 2 },
  },
  fields: Type.Object({ code: seatCodeField }),
  reply,
  refusals: ['seat_code_not_found'],
}).read(async (sql, { fields, scope }) => {
  const found = await findSeatInScope(sql, canonicalSeatCode(fields.code), scope);
  if (found === undefined) return refuse('seat_code_not_found');
  return viewOf(reply, { valid: true, ...found, status: seatStatus(found), totalSeats: found.seatCount });
});
