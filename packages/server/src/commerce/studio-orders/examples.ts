/** The order in the examples of this slice (see platform/endpoint/example-values.ts). */
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';

/** The order of the example of /createStudioOrder, as its buyer's storefront sends it. */
export const exampleOrder = {
  buyerEmail: 'head@school.example',
  buyerUserId: 'user-7',
  courseId: 'course-12',
  courseSlug: 'watercolour',
  courseTitle: 'Watercolour for beginners',
  creatorId: 'studio-north',
  seatCount: 2,
  pricePerSeat: 4900,
  totalAmount: 9800,
  currency: 'eur',
} as const;

/** The course fields in replies about one of its seats. */
export const exampleCourse = {
  courseId: exampleOrder.courseId,
  courseSlug: exampleOrder.courseSlug,
  courseTitle: exampleOrder.courseTitle,
} as const;

/** The order as lists show it. */
export const exampleSummary = {
  id: MADE_BY_SERVICE.studioOrderId,
  courseSlug: exampleOrder.courseSlug,
  courseTitle: exampleOrder.courseTitle,
  seatCount: exampleOrder.seatCount,
  redeemedCount: 0,
  totalAmount: exampleOrder.totalAmount,
  status: 'active',
  createdAt: EXAMPLE_NOW,
} as const;
