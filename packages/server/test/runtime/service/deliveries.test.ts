/** The lines of the log and the metrics that the sender of events causes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Measures } from '../../../src/ground/measures/measures.ts';
import type { DeliveryNews } from '../../../src/webhooks/deliveries/delivery-news.ts';
import { deliveryMetrics } from '../../../src/webhooks/deliveries/exported-metrics.ts';
import { logDeliveries } from '../../../src/webhooks/deliveries/log.ts';

/** Logs news; returns the lines with their levels. */
function logged(news: readonly DeliveryNews[]): readonly object[] {
  const lines: object[] = [];
  const at = (level: string) => (line: object) => void lines.push({ level, ...line });
  const log = logDeliveries({ warn: at('warn'), error: at('error'), info: at('info') } as never);
  for (const each of news) log(each);
  return lines;
}

const origin = 'https://shop.example.com';
const [destinationId, eventId] = ['dst_1', 'evt_1'];

describe('the log of deliveries', () => {
  it('has a line for each change of a destination and for each event that was given up', () => {
    const lines = logged([
      { kind: 'failing', destinationId, origin, error: 'timeout' },
      { kind: 'back', destinationId, origin },
      { kind: 'disabled', destinationId, origin, reason: 'gone' },
      { kind: 'failed', destinationId, eventId },
      { kind: 'attempted', attempts: [{ outcome: 'delivered', durationMs: 5, delayMs: 5 }] },
    ]);
    assert.deepEqual(lines, [
      { level: 'warn', event: 'destination.failing', destinationId, origin, error: 'timeout' },
      { level: 'warn', event: 'destination.back', destinationId, origin },
      { level: 'error', event: 'destination.disabled', destinationId, origin, reason: 'gone' },
      { level: 'warn', event: 'delivery.failed', destinationId, eventId },
    ]);
  });

  it('names a transaction that stays open once, after ten seconds, and the next one again', () => {
    const held = [200, 9_999, 10_000, 15_000, 60_000, 100, 12_000.4];
    const lines = logged(held.map((milliseconds) => ({ kind: 'held back', milliseconds })));
    assert.deepEqual(lines, [
      { level: 'warn', event: 'feed.held_back', milliseconds: 10_000 },
      { level: 'warn', event: 'feed.held_back', milliseconds: 12_000 },
    ]);
  });

  it('names the wrong clock of a receiver once, and remembers a bounded number of receivers', () => {
    const differs = (number: number) =>
      ({ kind: 'clock differs', origin: `https://${number}.example.com`, differenceMs: -90_000 }) as const;
    assert.deepEqual(logged([differs(1), differs(1)]), [
      { level: 'warn', event: 'delivery.clock_differs', origin: 'https://1.example.com', differenceMs: -90_000 },
    ]);
    const many = Array.from({ length: 1_001 }, (_, number) => differs(number));
    assert.equal(
      logged([...many, differs(0), differs(1_000)]).length,
      1_002,
      'the one that was named longest ago again',
    );
  });
});

describe('the metrics of deliveries', () => {
  it('are zeros on a node that sends nothing, and follow the sender', () => {
    const measures = new Measures();
    const { delivery, sender } = deliveryMetrics.ofReports?.(measures, []) ?? {};
    assert.ok(delivery && sender);
    const measured = (name: string, outcome?: string) => {
      const found = measures.samples().find((each) => each.name === name && each.labels.outcome === outcome);
      assert.ok(found, name);
      const { value } = found;
      return typeof value === 'number' ? value : [value.counts.reduce((sum, count) => sum + count, 0), value.sum];
    };
    const values = () => ({
      sends: measured('latchkey_sends_events'),
      underWay: measured('latchkey_deliveries_under_way'),
      oldest: measured('latchkey_delivery_oldest_seconds'),
      heldBack: measured('latchkey_feed_held_back_seconds'),
      delivered: measured('latchkey_delivery_attempts_total', 'delivered'),
      refused: measured('latchkey_delivery_attempts_total', 'refused'),
      failed: measured('latchkey_deliveries_failed_total'),
      duration: measured('latchkey_delivery_duration_seconds'),
      delay: measured('latchkey_delivery_delay_seconds'),
    });
    assert.deepEqual(values(), {
      ...{ sends: 0, underWay: 0, oldest: 0, heldBack: 0, delivered: 0, refused: 0, failed: 0 },
      ...{ duration: [0, 0], delay: [0, 0] },
    });
    sender({ isSending: true, underWay: 3, oldestMs: 4_500, heldBackMs: 12_000 });
    const attempts = [
      { outcome: 'delivered', durationMs: 500, delayMs: 250 },
      { outcome: 'refused', durationMs: 1_500, delayMs: null },
    ] as const;
    delivery({ kind: 'attempted', attempts });
    delivery({ kind: 'failed', destinationId, eventId });
    assert.deepEqual(values(), {
      ...{ sends: 1, underWay: 3, oldest: 4.5, heldBack: 12, delivered: 1, refused: 1, failed: 1 },
      ...{ duration: [2, 2], delay: [1, 0.25] },
    });
  });
});
