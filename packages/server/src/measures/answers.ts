/** Counts and times answers: an observer of all of them, which runs with every call and so looks up as little as it can. */
import type { AnsweredRequest, AnswerObserver } from '../http/answered.ts';
import type { Counter, Distribution, Measures } from './measures.ts';

/** What is measured of one endpoint. */
interface EndpointMeasures {
  readonly label: string;
  readonly duration: Distribution;
  /** By status, then by code. */
  readonly counters: Map<number, Map<string, Counter>>;
}

/** The label of what is neither an endpoint nor a document: anybody may ask for any path. */
const OTHER = 'other';
/** The code of an answer that is no refusal. */
const NO_CODE = 'ok';

/**
 * Makes the observer.
 *
 * @param documentPaths paths that are served beside the endpoints and have a label of their own
 */
export function measureAnswers(measures: Measures, documentPaths: Iterable<string>): AnswerObserver {
  const endpoints = new Map<object, EndpointMeasures>();
  const documents = new Map([...documentPaths].map((path) => [path, begin(path)]));
  const other = begin(OTHER);

  function begin(label: string): EndpointMeasures {
    const duration = measures.histogram('latchkey_request_duration_seconds', { endpoint: label });
    return { label, duration, counters: new Map() };
  }

  function measuresOf({ endpoint, path }: AnsweredRequest): EndpointMeasures {
    if (endpoint === null) return documents.get(path ?? '') ?? other;
    let known = endpoints.get(endpoint);
    if (known === undefined) {
      known = begin(endpoint.path);
      endpoints.set(endpoint, known);
    }
    return known;
  }

  function counterOf({ label, counters }: EndpointMeasures, status: number, code: string): Counter {
    let ofStatus = counters.get(status);
    if (ofStatus === undefined) {
      ofStatus = new Map();
      counters.set(status, ofStatus);
    }
    let counter = ofStatus.get(code);
    if (counter === undefined) {
      counter = measures.counter('latchkey_requests_total', { endpoint: label, status: String(status), code });
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
