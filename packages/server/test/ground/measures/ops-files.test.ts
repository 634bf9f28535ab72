/**
 * The dashboard and the alert rules of ops/ ask for nothing that a service does not export, with labels as it has them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endpointsByPath } from '../../../src/app.ts';
import type { Metric } from '../../../src/ground/measures/metric.ts';
import { publishedCodes } from '../../../src/platform/endpoint/refusals.ts';
import { EXPORTED_METRICS } from '../../../src/runtime/service/metrics.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { ask, type ScrapedSample, samplesIn, scrapedValue, scrapeUntil } from './scrape.ts';

const ops = (name: string) => fileURLToPath(new URL(`../../../../../ops/${name}`, import.meta.url));
const ALERTS = ops('prometheus-alerts.yml');
const DASHBOARD = ops('grafana-dashboard.json');

const described: ReadonlyMap<string, Metric> = new Map(EXPORTED_METRICS.map((metric) => [metric.name, metric]));

/** Labels that Prometheus adds to every sample. */
const OF_SCRAPES = ['job', 'instance'];
/** Metrics that only one engine has. */
const OF_ONE_ENGINE = /^latchkey_(licenses_in_memory|commit_transactions|database_connection)/;

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { readonly panels: readonly Panel[] };
const alerts = readFileSync(ALERTS, 'utf8')
  .split(/^ {6}- alert: /m)
  .slice(1);

/** Expressions by the panel or alert that has them. */
const expressions = new Map([
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }, index) => [`panel ${title}, ${index + 1}`, expr] as const),
  ),
  ...alerts.map((alert) => {
    const [name = ''] = alert.split('\n');
    const [, expression = ''] = /^ {8}expr: (?:>-\n)?(.*?)\n {8}\w/ms.exec(alert) ?? [];
    return [`alert ${name}`, expression] as const;
  }),
]);

/** A metric that an expression asks for, and the labels that it picks by. */
interface Selector {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

function selectorsIn(expression: string): Selector[] {
  const named = /\b((?:latchkey|process|nodejs)_\w+|up)\b\s*(?:\{([^}]*)\})?/g;
  return [...expression.matchAll(named)].map(([, name = '', labels = '']) => ({
    name,
    matchers: [...labels.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
}

/** The labels that an expression groups by. */
const groupedBy = (expression: string) =>
  [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/));

describe('the dashboard and the alert rules', () => {
  it('are read whole', () => {
    assert.ok(panels.filter(({ type }) => type !== 'row').length >= 20);
    assert.ok(alerts.length >= 12);
    for (const [asking, expression] of expressions)
      assert.ok(selectorsIn(expression).length > 0, `${asking}: ${expression}`);
  });

  it('name endpoints and codes that there are', () => {
    for (const [asking, expression] of expressions)
      for (const { matchers } of selectorsIn(expression))
        for (const { label, operator, value } of matchers) {
          const values = operator.includes('~') ? value.split('|') : [value];
          if (label === 'endpoint' && value !== '/readyz')
            for (const path of values) assert.ok(endpointsByPath.has(path), `${asking}: ${path}`);
          if (label === 'code')
            for (const code of values)
              assert.ok(code === 'ok' || publishedCodes.some((each) => each === code), `${asking}: ${code}`);
        }
  });

  it('ask for every metric of the service', () => {
    const asked = new Set(
      [...expressions.values()].flatMap((each) => selectorsIn(each).map(({ name }) => metricOf(name))),
    );
    const unasked = [...described.keys()].filter((name) => !asked.has(name));
    assert.deepEqual(unasked, []);
  });

  it('show on the dashboard every metric that an alert rule watches', () => {
    const shown = new Set<string>();
    const watched = new Set<string>();
    for (const [asking, expression] of expressions)
      for (const { name } of selectorsIn(expression))
        (asking.startsWith('panel ') ? shown : watched).add(metricOf(name));
    assert.deepEqual([...watched.difference(shown)], []);
  });

  it('are valid by promtool', (test) => {
    const checked = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' });
    if (checked.error !== undefined) return test.skip('promtool is not installed');
    assert.equal(checked.status, 0, checked.stderr);
  });

  it('give each alert a summary, a description and a severity', () => {
    for (const alert of alerts)
      assert.match(alert, /severity: (critical|warning)\n.*summary: ".+"\n {10}description: ".+"/s);
  });
});

/** The name under which a metric is listed. */
function metricOf(sample: string): string {
  const histogram = sample.replace(/_(bucket|sum|count)$/, '');
  return described.has(histogram) ? histogram : sample;
}

for (const engine of engines)
  describe(`metrics of the dashboard and the alert rules on ${engine}`, { timeout: 60_000 }, () => {
    let samples: ScrapedSample[] = [];
    const app = startedApp(engine, { LATCHKEY_METRICS_PORT: '0' });
    before(async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      for (const machineFingerprint of ['one', 'two'])
        await app.send('/activate', { licenseKey, machineFingerprint, hostname: 'h', productId: 'app' });
      for (const path of ['/verify', '/validate', '/heartbeat', '/deactivate'])
        await app.send(path, { licenseKey, machineFingerprint: 'one', hostname: 'h', productId: 'app', token: 't' });
      const isThere = (each: readonly ScrapedSample[]) =>
        ['latchkey_schema_version', 'latchkey_database_bytes', 'latchkey_disk_bytes'].every(
          (name) => scrapedValue(each, name) !== undefined,
        ) &&
        scrapedValue(each, 'latchkey_last_backup_timestamp_seconds') !== undefined &&
        each.some(({ name }) => name === 'latchkey_violations_total');
      await scrapeUntil(app, isThere);
      samples = samplesIn((await ask(app.metricsPort!)).text);
    });

    it('is exported, with the labels that it is picked and grouped by', () => {
      for (const [asking, expression] of expressions) {
        const selectors = selectorsIn(expression).filter(({ name }) => name !== 'up');
        const labels = new Set(OF_SCRAPES);
        for (const { name, matchers } of selectors) {
          const own = samples.filter((sample) => sample.name === name);
          const metric = described.get(metricOf(name));
          if (own.length === 0) {
            assert.ok(metric !== undefined && OF_ONE_ENGINE.test(name), `${asking}: ${engine} exports no ${name}`);
            for (const label of [...(metric?.labels ?? []), 'le']) labels.add(label);
          }
          for (const { labels: has } of own) for (const label of Object.keys(has)) labels.add(label);
          for (const { label, operator, value } of matchers) {
            assert.ok(labels.has(label), `${asking}: ${name} has no label ${label}`);
            if (operator !== '=' || OF_SCRAPES.includes(label) || label === 'code' || label === 'status') continue;
            const isExported = own.some(({ labels: has }) => has[label] === value);
            assert.ok(own.length === 0 || isExported, `${asking}: no ${name} has ${label}="${value}"`);
          }
        }
        for (const label of selectors.length === 0 ? [] : groupedBy(expression))
          assert.ok(labels.has(label), `${asking}: nothing has the label ${label}`);
      }
    });
  });
