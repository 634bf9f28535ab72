/** The order that the examples of this slice show (see endpoint/example-values.ts). */

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

/** What answers about one of its seats say of the course. */
export const exampleCourse = {
  courseId: exampleOrder.courseId,
  courseSlug: exampleOrder.courseSlug,
  courseTitle: exampleOrder.courseTitle,
} as const;
