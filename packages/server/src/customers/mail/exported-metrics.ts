/** Exported metrics of e-mails. */

import { declareMetrics } from '../../ground/measures/metric.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';
import type { MailNews } from './mail-store.ts';
import { countWaitingMails } from './store.ts';

declare module '../../platform/endpoint/slice-metrics.ts' {
  interface Reports {
    readonly mail: MailNews;
  }
}

const OUTCOMES = ['sent', 'repeated', 'failed', 'dropped'] as const satisfies MailNews['outcome'][];

const metrics = declareMetrics({
  latchkey_mails_total: {
    type: 'counter',
    help: 'Attempts to send e-mails and dropped e-mails, by kind and outcome.',
    labels: ['kind', 'outcome'],
  },
  latchkey_mails_waiting: { type: 'gauge', help: 'E-mails that wait, counted up to a bound.', labels: [] },
});

export const mailMetrics: SliceMetrics = {
  metrics,
  async ofDatabase(sql, _now, measures) {
    measures.set(metrics.latchkey_mails_waiting, {}, await countWaitingMails(sql));
  },
  ofReports(measures, mailKinds) {
    const counters = new Map(
      mailKinds.flatMap(({ name: kind }) =>
        OUTCOMES.map(
          (outcome) =>
            [`${kind} ${outcome}`, measures.counter(metrics.latchkey_mails_total, { kind, outcome })] as const,
        ),
      ),
    );
    return {
      mail({ kind, outcome }) {
        const counter = counters.get(`${kind} ${outcome}`);
        if (counter !== undefined) counter.value += 1;
      },
    };
  },
};
