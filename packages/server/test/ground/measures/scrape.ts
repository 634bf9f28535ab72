/** Scrapes as Prometheus does, and parses the reply. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TestApp } from '../../support/app.ts';

/** A reply of the metrics' port. */
export interface ScrapeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One line of a scrape: a metric's name with any suffix like `_bucket`, its labels and its value. */
export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Options of a scrape; GET /metrics over plain HTTP on 127.0.0.1 by default. */
export interface ScrapeOptions {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Over TLS, trusting this certificate. */
  readonly ca?: string;
}

/** Sends one request to a port. */
export function ask(port: number, options: ScrapeOptions = {}): Promise<ScrapeAnswer> {
  const { path = '/metrics', method = 'GET', headers = {}, ca } = options;
  return new Promise((resolve, reject) => {
    const asked = { host: '127.0.0.1', port, path, method, headers, agent: false as const };
    const sent = ca === undefined ? requestHttp(asked) : requestHttps({ ...asked, ca, servername: 'localhost' });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.end();
  });
}

/**
 * The samples of a scrape.
 *
 * @throws when a line is not in Prometheus's text format
 */
export function samplesIn(text: string): ScrapedSample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === '') throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, is]) => [label, is] as const);
      return { name, labels: Object.fromEntries(pairs), value: value === '+Inf' ? Infinity : Number(value) };
    });
}

/** The samples of an app's metrics. */
export async function scrape(app: TestApp): Promise<ScrapedSample[]> {
  const { status, text } = await ask(app.metricsPort!);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return samplesIn(text);
}

/** The value of the only sample with this name and these labels; undefined without one. */
export function scrapedValue(
  samples: readonly ScrapedSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const fitting = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, is]) => sample.labels[label] === is),
  );
  if (fitting.length > 1) throw new Error(`${fitting.length} samples ${name} ${JSON.stringify(labels)}`);
  return fitting[0]?.value;
}

/** Scrapes until the condition holds: threads report their measurements once a second. */
export async function scrapeUntil(
  app: TestApp,
  hasIt: (samples: readonly ScrapedSample[]) => boolean,
): Promise<ScrapedSample[]> {
  for (;;) {
    const samples = await scrape(app);
    if (hasIt(samples)) return samples;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
