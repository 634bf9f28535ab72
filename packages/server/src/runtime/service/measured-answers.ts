/** Counts and times replies. This observer runs on every call, so it does as few look-ups as possible. */

import type { Counter, Distribution, Measures } from '../../ground/measures/measures.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import { isPattern, pathPattern } from '../../platform/sites/path-pattern.ts';
import type { AnsweredRequest, AnswerObserver } from '../http/answered.ts';

/** The measures of one endpoint. */
interface EndpointMeasures {
  readonly label: string;
  readonly duration: Distribution;
  /** By status, then by code. */
  readonly counters: Map<number, Map<string, Counter>>;
}

/** The label of paths that are neither an endpoint nor a document, because anybody may request any path. */
const OTHER = 'other';
/** The code of a successful reply. */
const NO_CODE = 'ok';

/**
 * Creates the observer.
 *
 * @param countedPaths paths and patterns of sites, each with its own label
 */
export function measureAnswers(measures: Measures, countedPaths: readonly string[]): AnswerObserver {
  const endpoints = new Map<object, EndpointMeasures>();
  const paths = new Map(countedPaths.filter((path) => !isPattern(path)).map((path) => [path, begin(path)]));
  const patterns = countedPaths
    .filter(isPattern)
    .map((pattern) => ({ ...pathPattern(pattern), known: begin(pattern) }));
  const other = begin(OTHER);

  function begin(label: string): EndpointMeasures {
    const duration = measures.histogram(NODE_METRICS.latchkey_request_duration_seconds, { endpoint: label });
    return { label, duration, counters: new Map() };
  }

  function measuresOf({ endpoint, path }: AnsweredRequest): EndpointMeasures {
    if (endpoint === null) return paths.get(path ?? '') ?? ofPattern(path ?? '');
    let known = endpoints.get(endpoint);
    if (known === undefined) {
      known = begin(endpoint.path);
      endpoints.set(endpoint, known);
    }
    return known;
  }

  function ofPattern(path: string): EndpointMeasures {
    return patterns.find(({ segmentsOf }) => segmentsOf(path) !== null)?.known ?? other;
  }

  function counterOf({ label, counters }: EndpointMeasures, status: number, code: string): Counter {
    let ofStatus = counters.get(status);
    if (ofStatus === undefined) {
      ofStatus = new Map();
      counters.set(status, ofStatus);
    }
    let counter = ofStatus.get(code);
    if (counter === undefined) {
      counter = measures.counter(NODE_METRICS.latchkey_requests_total, {
        endpoint: label,
        status: String(status),
        code,
      });
      ofStatus.set(code, counter);
    }
    return counter;
  }

  return (answered) => {
    const known = measuresOf(answered);
    counterOf(known, answered.status, answered.code ?? NO_CODE).value += 1;
    if (answered.durationMs !== null) known.duration.observe(answered.durationMs / 1000);
  };
}
