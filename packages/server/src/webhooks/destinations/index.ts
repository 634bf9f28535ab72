/** Destinations of events, in the order of rules 4.15. */

import type { Slice } from '../../platform/slice/slice.ts';
import { createDestination } from './create-destination.ts';
import { deleteDestination } from './delete-destination.ts';
import { destinationMetrics } from './exported-metrics.ts';
import { destinationWarnings } from './faults.ts';
import { getDestination } from './get-destination.ts';
import { listDestinations } from './list-destinations.ts';
import { sentEvents } from './outbound-schema.ts';
import { pauseDestination } from './pause-destination.ts';
import { destinationRefusals } from './refusals.ts';
import { resumeDestination } from './resume-destination.ts';
import { rotateDestinationSecret } from './rotate-destination-secret.ts';
import { sendingWarning } from './sending-node.ts';
import { destinationTables } from './tables.ts';
import { updateDestination } from './update-destination.ts';

export const destinations: Slice = {
  conditions: [
    {
      began: (warning) => ({ event: 'sender.missing', warning }),
      ended: () => ({ event: 'sender.back' }),
      find: sendingWarning,
    },
  ],
  warnings: (sql, { secretsKey }) => destinationWarnings(sql, secretsKey),
  refusals: [destinationRefusals],
  sections: [
    {
      title: 'Destinations of events',
      description:
        'Addresses that hear of changes as they happen, by signed requests. For the operator, and for creators within their ' +
        'own products.',
      endpoints: [
        createDestination,
        listDestinations,
        getDestination,
        updateDestination,
        pauseDestination,
        resumeDestination,
        rotateDestinationSecret,
        deleteDestination,
      ],
      sentEvents,
    },
  ],
  tables: destinationTables,
  metrics: [destinationMetrics],
};
