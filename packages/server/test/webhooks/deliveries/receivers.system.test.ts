/** Receivers of others, in processes of their own, verify events of every type, also while a secret is replaced. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { eventTypes } from '../../../src/platform/events/event-types.ts';
import { recordChanges } from '../../../src/platform/events/record.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { PUBLIC_ADDRESSES } from '../../../src/webhooks/destinations/address-policy.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { freshDatabase } from '../../support/databases.ts';
import { certificateOf } from '../../support/receiver.ts';
import { blockWith } from './events-page.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const ADDRESS = '127.1.0.6';

/** A receiver prints its port, then a line per request; each line of its input is the secret from then on. */
const inNode = (library: string) => `import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createInterface } from 'node:readline';
import { Webhook } from '${library}';
const say = (line) => console.log(JSON.stringify(line));
let secret = '';
createInterface({ input: process.stdin }).on('line', (line) => say({ hasSecret: Boolean(secret = line) })).on('close', () => process.exit());
const tls = { cert: readFileSync('cert.pem'), key: readFileSync('key.pem') };
const server = createServer(tls, async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  let failure = null;
  try {
    new Webhook(secret).verify(body, request.headers);
  } catch (error) {
    failure = error.message;
  }
  const signatures = request.headers['webhook-signature'].split(' ').length;
  say({ id: request.headers['webhook-id'], type: JSON.parse(body).type, signatures, failure });
  response.writeHead(failure === null ? 204 : 400).end();
});
server.listen(0, '${ADDRESS}', () => say({ port: server.address().port }));
`;

const inPython = () => `${blockWith('python', 'def is_genuine')}
import http.server, json, os, ssl, sys, threading

speaking = threading.Lock()

def say(line):
    with speaking:
        print(json.dumps(line), flush=True)

class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    secret = ""
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        is_good = is_genuine(body, self.headers, Receiver.secret)
        signatures = len(self.headers["webhook-signature"].split(" "))
        kind = json.loads(body)["type"]
        say({"id": self.headers["webhook-id"], "type": kind, "signatures": signatures, "failure": None if is_good else "bad"})
        self.send_response(204 if is_good else 400)
        self.send_header("content-length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("${ADDRESS}", 0), Receiver)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
say({"port": server.server_address[1]})
for line in sys.stdin:
    Receiver.secret = line.strip()
    say({"hasSecret": True})
os._exit(0)
`;

const RECEIVERS = [
  {
    name: 'Node.js with standardwebhooks',
    program: process.execPath,
    file: 'one.mjs',
    code: () => inNode('standardwebhooks'),
  },
  { name: 'Node.js with svix', program: process.execPath, file: 'two.mjs', code: () => inNode('svix') },
  { name: 'Python with its standard library', program: 'python3', file: 'three.py', code: inPython },
] as const;

interface Line {
  readonly port?: number;
  readonly hasSecret?: boolean;
  readonly id?: string;
  readonly type?: string;
  readonly signatures?: number;
  readonly failure?: string | null;
}

/** A running receiver. */
class Running {
  readonly #child: ChildProcess;
  #lines: Line[] = [];
  #arrived = Promise.withResolvers<void>();
  #ended: string | null = null;

  constructor(program: string, file: string, cwd: string) {
    this.#child = spawn(program, [file], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.#lines.push(JSON.parse(line));
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
    this.#child.once('close', (code) => {
      this.#ended = `${file} ended with ${code}`;
      this.#arrived.resolve();
    });
  }

  /** Returns the next `count` lines as soon as they have arrived. */
  async next(count: number): Promise<readonly Line[]> {
    while (this.#lines.length < count) {
      assert.equal(this.#ended, null);
      await this.#arrived.promise;
    }
    return this.#lines.splice(0, count);
  }

  async use(secret: string): Promise<void> {
    this.#child.stdin!.write(`${secret}\n`);
    assert.deepEqual(await this.next(1), [{ hasSecret: true }]);
  }

  /** The lines that nobody has taken. */
  get rest(): readonly Line[] {
    return this.#lines;
  }

  async end(): Promise<void> {
    this.#child.stdin!.end();
    if (this.#child.exitCode === null) await once(this.#child, 'close');
  }
}

describe('receivers of events', () => {
  let directory: string;
  let app: TestApp;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'latchkey-receivers-'));
    const { cert, key } = await certificateOf([], [ADDRESS]);
    await writeFile(join(directory, 'cert.pem'), cert);
    await writeFile(join(directory, 'key.pem'), key);
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    database = await freshDatabase('sqlite');
    const settings = {
      LATCHKEY_DELIVERY_CA_FILE: join(directory, 'cert.pem'),
      LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests',
    };
    const deliveryAddresses = { ...PUBLIC_ADDRESSES, testAddresses: [ADDRESS] };
    app = await startApp('sqlite', settings, database, { deliveryAddresses });
  });
  after(async () => {
    await app?.stop();
    await database?.remove();
    await rm(directory, { recursive: true, force: true });
  });

  /** Records one event of each type, as other processes do. */
  async function recordEveryType(): Promise<void> {
    const storage = await openStorage(database.database);
    const origin = { actor: { kind: 'command', name: 'test' }, requestId: null, now: systemClock() } as const;
    const changes = eventTypes.map((type) => ({
      type,
      subject: 'Grüße',
      before: {},
      after: { text: '日本 \u0001' },
      origin,
    }));
    await storage.transaction((tx) => recordChanges(tx, changes));
    await storage.close();
  }

  for (const { name, program, file, code } of RECEIVERS)
    it(`in ${name} verify each type once, also while the secret is replaced`, async (test) => {
      if (spawnSync(program, ['--version']).error !== undefined) return test.skip(`${program} is not installed`);
      await writeFile(join(directory, file), code());
      const receiver = new Running(program, file, directory);
      test.after(() => receiver.end());
      const [{ port } = {}] = await receiver.next(1);
      const kinds = new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`));
      const asked = { url: `https://${ADDRESS}:${port}/hook`, types: [...kinds] };
      const { destinationId, secret } = await mustSucceed(app.admin('/createDestination', asked));
      test.after(() => app.admin('/deleteDestination', { destinationId }));
      await receiver.use(secret);
      const seen = new Set<string>();
      const receiveEveryType = async (signatures: number) => {
        await recordEveryType();
        const lines = await receiver.next(eventTypes.length);
        assert.deepEqual(
          lines.filter((line) => line.failure !== null || line.signatures !== signatures),
          [],
        );
        assert.deepEqual(lines.map(({ type }) => type).toSorted(), eventTypes.toSorted());
        for (const { id = '' } of lines) seen.add(id);
      };
      await receiveEveryType(1);
      const rotated = await mustSucceed(app.admin('/rotateDestinationSecret', { destinationId }));
      await receiveEveryType(2);
      await receiver.use(rotated.secret);
      await receiveEveryType(2);
      assert.equal(seen.size, 3 * eventTypes.length, 'no event came twice');
      assert.deepEqual(receiver.rest, []);
    });
});
