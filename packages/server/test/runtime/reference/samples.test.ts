/** The samples in TypeScript and Python send the request of the example, as the curl lines do (page.test.ts). */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endpoints, endpointsByPath, sections } from '../../../src/app.ts';
import type { Endpoint } from '../../../src/platform/endpoint/endpoint.ts';
import { shownAccess } from '../../../src/runtime/reference/access.ts';
import { healthSection } from '../../../src/runtime/reference/health-section.ts';
import { keysSection } from '../../../src/runtime/reference/keys-section.ts';
import { pythonSample, typescriptSample } from '../../../src/runtime/reference/page/samples.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { startedApp } from '../../support/started-app.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const PYTHON = spawnSync('python3', ['--version']).status === 0 ? 'python3' : null;
const NO_PYTHON = 'python3 is not installed';
const VARIABLES = {
  LATCHKEY: 'https://host',
  ADMIN_SECRET: 'admin',
  WEBHOOK_SECRET: 'webhook',
  CONSOLE_SESSION: 'session',
};

/** A request as a sample sends it. Names of headers are in lower case. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Fails unless a request equals the example of the endpoint. */
function assertIsExample({ path, methods, access, example }: Endpoint, sent: Sent): void {
  const [method] = methods;
  const url = new URL(sent.url);
  assert.deepEqual([sent.method, `${url.origin}${url.pathname}`], [method, `https://host${path}`]);
  if (method === 'POST') assert.deepEqual(JSON.parse(sent.body ?? ''), example.request, path);
  else
    assert.deepEqual(
      Object.fromEntries(url.searchParams),
      Object.fromEntries(Object.entries(example.request).map(([name, value]) => [name, String(value)])),
    );
  const expected = shownAccess(access).headers.map((each) => {
    const [name = '', value = ''] = each.split(': ');
    return [name.toLowerCase(), value.replace(/\$(\w+)/, (_, variable: keyof typeof VARIABLES) => VARIABLES[variable])];
  });
  const type = method === 'POST' ? [['content-type', 'application/json']] : [];
  assert.deepEqual(sent.headers, Object.fromEntries([...type, ...expected]), path);
}

/** An endpoint whose example has every kind of value, and characters that end a text in some language. */
const DIFFICULT: Endpoint = {
  ...(endpointsByPath.get('/createLicense') as Endpoint),
  path: '/createLicense',
};
const difficult = {
  ...DIFFICULT,
  example: {
    ...DIFFICULT.example,
    request: {
      hostname: `Ada's "$HOME" \`id\` \\ \${x} {x} \n é 💻 </script>`,
      'a-name': [true, false, null, 1.5, -1, [], {}, { deep: ['x'] }],
    },
  },
} as Endpoint;

describe('the samples in TypeScript', () => {
  it('send the request of the example, with any characters', async () => {
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (...values: unknown[]) => Promise<void>;
    for (const endpoint of [...endpoints, difficult]) {
      let sent: Sent | undefined;
      const fetch = async (url: string, options: RequestInit = {}) => {
        const headers = Object.entries((options.headers ?? {}) as Record<string, string>);
        sent = {
          method: options.method ?? 'GET',
          url,
          headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
          body: (options.body as string | undefined) ?? null,
        };
        return { status: 200, json: async () => ({}) };
      };
      const program = new AsyncFunction('process', 'fetch', 'console', typescriptSample(endpoint));
      await program({ env: VARIABLES }, fetch, { log() {} });
      assert.ok(sent !== undefined, endpoint.path);
      assertIsExample(endpoint, sent);
    }
  });

  it('have no type error in strict TypeScript', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-samples-'));
    try {
      const described = [...sections, keysSection, healthSection].flatMap((each) => each.endpoints);
      const programs = described.map(
        (endpoint, index) => `export async function sample${index}() {\n${typescriptSample(endpoint)}\n}`,
      );
      await writeFile(join(directory, 'samples.ts'), programs.join('\n'));
      const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--skipLibCheck'];
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
      await run(join(ROOT, 'node_modules', '.bin', 'tsc'), [...options, ...types, join(directory, 'samples.ts')]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

/** Runs programs from standard input with a `urlopen` that writes the request down instead of sending it. */
const WRITE_DOWN = `
import io, json, sys, urllib.request
sent = []
def urlopen(request):
    body = None if request.data is None else request.data.decode()
    headers = {name.lower(): value for name, value in request.header_items()}
    sent.append({"method": request.get_method(), "url": request.full_url, "headers": headers, "body": body})
    answer = io.BytesIO(b"{}")
    answer.status = 200
    return answer
urllib.request.urlopen = urlopen
out, sys.stdout = sys.stdout, io.StringIO()
for program in json.load(sys.stdin):
    exec(compile(program, "sample", "exec"), {})
json.dump(sent, out)
`;

describe('the samples in Python', { skip: PYTHON === null && NO_PYTHON }, () => {
  it('compile, and send the request of the example, with any characters', () => {
    const all = [...endpoints, difficult];
    const { status, stdout, stderr } = spawnSync(PYTHON!, ['-c', WRITE_DOWN], {
      input: JSON.stringify(all.map(pythonSample)),
      env: { ...process.env, ...VARIABLES },
      encoding: 'utf8',
      maxBuffer: 10_000_000,
    });
    assert.equal(status, 0, stderr);
    const sent: readonly Sent[] = JSON.parse(stdout);
    assert.equal(sent.length, all.length);
    for (const [index, endpoint] of all.entries()) assertIsExample(endpoint, sent[index]!);
  });
});

describe('a sample that runs against the service', () => {
  const app = startedApp('sqlite');

  /** Runs a sample and returns its output. */
  async function printed(program: string, args: readonly string[]): Promise<string> {
    const certificate = join(app.directory, 'tls-cert.pem');
    const env = {
      ...process.env,
      LATCHKEY: `https://localhost:${app.port}`,
      ADMIN_SECRET,
      NODE_EXTRA_CA_CERTS: certificate,
      SSL_CERT_FILE: certificate,
    };
    return (await run(program, args, { env })).stdout;
  }

  it('in TypeScript creates a product, and in Python reads it', async (test) => {
    const [create, list] = ['/createProduct', '/listProducts'].map((path) => endpointsByPath.get(path)!);
    const source = typescriptSample(create!);
    const made = await printed(process.execPath, ['--input-type=module-typescript', '-e', source]);
    assert.match(made, /^200 \{/);
    const { products } = (await app.admin('/listProducts')).body;
    assert.equal(products.length, 1);
    if (PYTHON === null) return test.diagnostic(NO_PYTHON);
    const read = await printed(PYTHON, ['-c', pythonSample(list!)]);
    assert.match(read, /^200 \{/);
    assert.ok(read.includes(`'${products[0].productId}'`), read);
  });
});
