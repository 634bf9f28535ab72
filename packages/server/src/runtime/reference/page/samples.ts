/** The example of an endpoint as a program in each language of the page. All of them send the same request. */
import { shownAccess } from '../access.ts';
import type { DescribedEndpoint } from '../described.ts';
import { curlLine } from './curl.ts';

/** A language of the samples. */
export interface SampleLanguage {
  /** Part of class names. */
  readonly id: string;
  readonly title: string;
  /** The sample of an endpoint, for its first method. */
  write(endpoint: DescribedEndpoint): string;
  /** A setting for programs of this language that trusts a certificate which the service signed itself. */
  readonly trustedCertificates: string;
}

/** The languages in the order in which the page shows them. The first one is open. */
export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = [
  { id: 'curl', title: 'curl', write: curlLine, trustedCertificates: 'CURL_CA_BUNDLE' },
  { id: 'typescript', title: 'TypeScript', write: typescriptSample, trustedCertificates: 'NODE_EXTRA_CA_CERTS' },
  { id: 'python', title: 'Python', write: pythonSample, trustedCertificates: 'SSL_CERT_FILE' },
];

/** TypeScript for Node.js, with nothing to install. */
export function typescriptSample(endpoint: DescribedEndpoint): string {
  const { method, path, fields, isBody } = requestOf(endpoint);
  const names = Object.entries(headersOf(endpoint, isBody)).map(
    ([name, value]) => `    '${name}': ${templateLiteral(value)},`,
  );
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(names.length === 0 ? [] : ['  headers: {', ...names, '  },']),
    ...(isBody ? [`  body: JSON.stringify(${literal(fields, TYPESCRIPT, '  ')}),`] : []),
  ];
  const hasQuery = !isBody && Object.keys(fields).length > 0;
  const url = `\`\${process.env.LATCHKEY}${path}${hasQuery ? `?\${query}` : ''}\``;
  return [
    ...(hasQuery ? [`const query = new URLSearchParams(${literal(fields, TYPESCRIPT, '')});`] : []),
    ...(options.length === 0
      ? [`const answer = await fetch(${url});`]
      : [`const answer = await fetch(${url}, {`, ...options, '});']),
    'console.log(answer.status, await answer.json());',
  ].join('\n');
}

/** Python 3 with its standard library alone. */
export function pythonSample(endpoint: DescribedEndpoint): string {
  const { method, path, fields, isBody } = requestOf(endpoint);
  const names = Object.entries(headersOf(endpoint, isBody)).map(
    ([name, value]) => `        "${name}": ${pythonText(value)},`,
  );
  const hasQuery = !isBody && Object.keys(fields).length > 0;
  return [
    'import json',
    'import os',
    ...(hasQuery ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(hasQuery ? [`query = urlencode(${literal(fields, PYTHON, '')})`] : []),
    'request = Request(',
    `    os.environ["LATCHKEY"] + "${path}${hasQuery ? '?" + query' : '"'},`,
    ...(method === (isBody ? 'POST' : 'GET') ? [] : [`    method="${method}",`]),
    ...(names.length === 0 ? [] : ['    headers={', ...names, '    },']),
    ...(isBody ? [`    data=json.dumps(${literal(fields, PYTHON, '    ')}).encode(),`] : []),
    ')',
    'with urlopen(request) as answer:',
    '    print(answer.status, json.load(answer))',
  ].join('\n');
}

/** The request of an example; the values of a query are texts. */
function requestOf({ path, methods, example }: DescribedEndpoint) {
  const method = methods[0] ?? 'POST';
  const isBody = method === 'POST';
  const fields: Readonly<Record<string, unknown>> = isBody
    ? example.request
    : Object.fromEntries(Object.entries(example.request).map(([name, value]) => [name, String(value)]));
  return { method, path, fields, isBody };
}

function headersOf({ access }: DescribedEndpoint, isBody: boolean): Readonly<Record<string, string>> {
  const credentials = shownAccess(access).headers.map((each) => {
    const [name = '', value = ''] = each.split(': ');
    return [name, value] as const;
  });
  return { ...(isBody ? { 'Content-Type': 'application/json' } : {}), ...Object.fromEntries(credentials) };
}

/** A variable at the end of a header's value, for example `$ADMIN_SECRET`. */
const VARIABLE = /\$(\w+)$/;

function templateLiteral(value: string): string {
  return VARIABLE.test(value) ? `\`${value.replace(VARIABLE, `\${process.env.$1}`)}\`` : `'${value}'`;
}

function pythonText(value: string): string {
  const [variable, name] = VARIABLE.exec(value) ?? [];
  if (variable === undefined) return `"${value}"`;
  const before = value.slice(0, -variable.length);
  return `${before === '' ? '' : `"${before}" + `}os.environ["${name}"]`;
}

/** The spelling of values in a language. */
interface Spelling {
  name(text: string): string;
  text(text: string): string;
  readonly words: ReadonlyMap<unknown, string>;
}

const TYPESCRIPT: Spelling = {
  name: (text) => (/^[a-z_$][\w$]*$/i.test(text) ? text : TYPESCRIPT.text(text)),
  text: (text) =>
    `'${JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`,
  words: new Map(),
};

const PYTHON: Spelling = {
  name: (text) => JSON.stringify(text),
  text: (text) => JSON.stringify(text),
  words: new Map<unknown, string>([
    [true, 'True'],
    [false, 'False'],
    [null, 'None'],
  ]),
};

/** A value of an example in a language; an object has a line for each field. */
function literal(value: unknown, spelling: Spelling, indent: string): string {
  if (typeof value === 'string') return spelling.text(value);
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, spelling, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return spelling.words.get(value) ?? String(value);
  const inner = indent + (spelling === PYTHON ? '    ' : '  ');
  const lines = Object.entries(value).map(
    ([name, each]) => `${inner}${spelling.name(name)}: ${literal(each, spelling, inner)},`,
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}
