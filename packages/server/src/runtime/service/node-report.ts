/** Reports the conditions of this node at intervals, for e-mails to the operator. */
import type { Clock } from '../../ground/base/clock.ts';
import { mintRequestId } from '../../ground/base/random.ts';
import { noteNode } from '../../insight/operator-notices/note-node.ts';
import type { NodeFacts } from '../../platform/endpoint/node-facts.ts';
import { repeat } from '../../platform/jobs/repeat.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import { callsInside } from '../dispatch/inner-call.ts';

/** The parts of a report. */
export interface ReportParts {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly nodeFacts: () => Promise<NodeFacts>;
  readonly clock: Clock;
  /** A node whose clock is not believed reports nothing. */
  readonly isClockBelieved: () => boolean;
  readonly everyMs: number;
}

/** @returns a function that stops the reports; it resolves when the one in progress has ended */
export function reportNode({
  dispatcher,
  nodeFacts,
  clock,
  isClockBelieved,
  everyMs,
}: ReportParts): () => Promise<void> {
  const call = callsInside(dispatcher, () => ({
    requestId: mintRequestId(clock()),
    now: clock(),
    country: null,
    address: null,
  }));
  const report = async () => {
    if (!isClockBelieved()) return;
    const { hostname, certificate, lastBackupAt } = await nodeFacts();
    const [name = hostname] = certificate?.names ?? [];
    // A report that fails is logged like any call, and the next one follows.
    await call(noteNode, {
      hostname,
      certificate: certificate && { name, endsAt: certificate.endsAt, isSelfSigned: certificate.isSelfSigned },
      lastBackupAt,
    });
  };
  return repeat(everyMs, () => report().catch(() => {}), true);
}
