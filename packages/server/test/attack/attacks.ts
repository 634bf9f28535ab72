/** The attacks. Each runs in the attacker's process until it is told to end. */
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { requestBytes } from '../runtime/http/wire.ts';
import {
  finishTlsLate,
  onAnswers,
  openPlain,
  openTls,
  openTrickling,
  openUnread,
  type Tally,
  type Target,
  targetFrom,
} from './connection.ts';

/** Facts that an attacker may know: none of them is a secret. */
export interface AttackJob extends Target {
  readonly attack: AttackName;
  /** The addresses from which an attack of several networks comes; empty for one network. */
  readonly networks: readonly string[];
  /** Connections of the attacks that are made of connections. */
  readonly idleConnections: number;
  /** Keys of licenses of the creator whose API key an attacker has, for the address of a stranger. */
  readonly mailedKeys: readonly string[];
  /** A discount code that is on a poster. */
  readonly trialCode: string;
  /** License keys that somebody published. */
  readonly licenseKeys: readonly string[];
  /** An API key of a creator whose list of licenses is long. */
  readonly apiKey: string;
  /** The cookie of a viewer who is signed in to the console. */
  readonly viewerCookie: string;
  /** An operator key that somebody lost; it only reads. */
  readonly operatorKey: string;
  /** Activated machines of the known licenses, as the fields that an app sends with each call. */
  readonly sessions: readonly object[];
  /** Port on which something listens at every address of the machine, and names of these addresses. */
  readonly insidePort: number;
  readonly insideNames: readonly string[];
}

/** An attack under way. */
export interface RunningAttack {
  /** Told that the service will be asked to end as soon as this is done. */
  stopping?(): Promise<void>;
}

type Attack = (job: AttackJob, tally: Tally) => Promise<RunningAttack>;

/** Spellings of addresses that no creator's destination may have. */
const INSIDE_LITERALS = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '017700000001', '127.0.0.1.', '①②⑦.0.0.1', 'user@127.0.0.1'],
  ...['[::1]', '[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]', '[fe80::1]', '[fd00::1]'],
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '127.1.0.1'],
];

/** A text with as many names as a search takes; none of them exists, so each is looked up in each product. */
const NAMES = Array.from({ length: 20 }, (_, at) => `missing-${at}`).join('\n');
/** A form of the pages for customers, as a browser sends it. */
function formBytes(fields: string): Buffer {
  const headers = ['Sec-Fetch-Site: same-origin', 'Content-Type: application/x-www-form-urlencoded'];
  return Buffer.concat([
    requestBytes('/my', '', { headers: [...headers, `Content-Length: ${fields.length}`] }),
    Buffer.from(fields),
  ]);
}

const costlySearches: Attack = (job, tally) =>
  flood(job, tally, {
    connections: 16,
    depth: 4,
    request: () =>
      requestBytes('/searchEverything', JSON.stringify({ query: NAMES }), { headers: [`X-Api-Key: ${job.apiKey}`] }),
  });

const formsForCodes: Attack = (job, tally) =>
  flood(job, tally, {
    connections: 16,
    depth: 4,
    request: (number) => formBytes(`email=ada-${number}%40example.com`),
  });

const slowForms: Attack = async (job, tally) => {
  const form = formBytes(`email=${'a'.repeat(2_000)}%40example.com`);
  for (const socket of await openMany(job, tally, Math.min(256, job.idleConnections), openTls)) {
    onAnswers(socket, (status) => tally.add(status));
    socket.write(form.subarray(0, 1_000));
    dribble(socket, form.subarray(1_000));
  }
  return {};
};

/** The attacks, in the order in which they are played. The last one waits for the end of the service. */
export const attacks = {
  'long query strings': async (job, tally) => {
    // As many different names as fit into the 16 KiB that Node.js takes of a request's head.
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
    const pairs = letters.flatMap((one) => letters.map((other) => `${one}${other}`));
    const names = [...letters, ...pairs, ...pairs.map((pair) => `${pair}_`)].slice(0, 4_300);
    const request = requestBytes(`/verify?${names.join('&')}`, '{}');
    return flood(job, tally, { connections: 8, depth: 1, request: () => request });
  },

  'one pipelining connection': (job, tally) =>
    flood(job, tally, { connections: 1, depth: 512, request: (number) => redemption(job, `pipeline-${number}`) }),

  'trials without end': (job, tally) =>
    flood(job, tally, { connections: 8, depth: 4, request: (number) => redemption(job, `trial-${number}`) }),

  'guessed secrets': (job, tally) =>
    flood(job, tally, {
      connections: 16,
      depth: 4,
      request: (number) =>
        requestBytes('/listLicenses', '{}', { headers: [`X-Admin-Secret: a-guess-of-the-secret-${number}`] }),
    }),

  'sign-ins without end': (job, tally) =>
    flood(job, tally, {
      connections: 8,
      depth: 4,
      request: () => requestBytes('/createConsoleSession', JSON.stringify({ secret: job.operatorKey })),
    }),

  'license files without end': (job, tally) =>
    flood(job, tally, {
      connections: 8,
      depth: 4,
      request: (number) =>
        requestBytes('/issueLicenseFile', JSON.stringify(job.sessions[number % job.sessions.length])),
    }),

  'refused calls with long names': (job, tally) =>
    flood(job, tally, {
      connections: 8,
      depth: 8,
      request: (number) => {
        const licenseKey = job.licenseKeys[number % job.licenseKeys.length];
        const fields = {
          licenseKey,
          machineFingerprint: `${number}`.padEnd(512, 'x'),
          hostname: `${number}`.padEnd(255, 'x'),
        };
        return requestBytes('/activate', JSON.stringify({ ...fields, productId: 'app' }));
      },
    }),

  'destinations that point inside': (job, tally) => {
    const { insidePort: port, insideNames } = job;
    const hosts = [...insideNames, ...INSIDE_LITERALS];
    return flood(job, tally, {
      connections: 4,
      depth: 2,
      request: (number) => {
        const scheme = number % 3 === 0 ? 'http' : 'https';
        const url = `${scheme}://${hosts[number % hosts.length]}:${port}/`;
        return requestBytes('/createDestination', JSON.stringify({ url, types: ['*'] }), {
          headers: [`X-Api-Key: ${job.apiKey}`],
        });
      },
    });
  },

  'costly searches of a creator': costlySearches,
  'costly searches from sixteen networks': costlySearches,
  'forms that ask for codes': formsForCodes,
  'forms from sixteen networks': formsForCodes,
  'slow forms': slowForms,
  'slow forms from sixteen networks': slowForms,

  'keys that are mailed without end': (job, tally) =>
    flood(job, tally, {
      connections: 8,
      depth: 4,
      request: (number) => {
        const licenseKey = job.mailedKeys[number % job.mailedKeys.length];
        return requestBytes('/mailLicense', JSON.stringify({ licenseKey }), { headers: [`X-Api-Key: ${job.apiKey}`] });
      },
    }),

  'reads that ask to be kept': (job, tally) =>
    flood(job, tally, {
      connections: 8,
      depth: 4,
      request: (number) =>
        requestBytes(number % 2 === 0 ? '/listLicenses' : '/listEvents', '{"limit":1000}', {
          headers: [...ofViewer(job), `Idempotency-Key: read-${number}`],
        }),
    }),

  'lists that nobody reads': async (job, tally) => {
    const list = requestBytes('/listLicenses', '{"limit":1000}', { headers: [`X-Api-Key: ${job.apiKey}`] });
    const lists = Buffer.concat(Array.from({ length: 64 }, () => list));
    await openMany(job, tally, Math.min(261, job.idleConnections), openUnread, lists);
    return {};
  },

  'documents that nobody reads': async (job, tally) => {
    const document = requestBytes('/docs', '', { method: 'GET' });
    await openMany(job, tally, Math.ceil(job.idleConnections * 0.6), openUnread, document);
    return {};
  },

  'requests that wait behind a document': async (job, tally) => {
    // One TLS record, which is parsed at once.
    const document = 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n';
    const documents = Buffer.from(document.repeat(Math.floor(16_000 / document.length)));
    await openMany(job, tally, Math.ceil(job.idleConnections * 0.2), openUnread, documents);
    return {};
  },

  'readers of one byte a second': async (job, tally) => {
    const get = (path: string) => requestBytes(path, '', { method: 'GET' });
    const list = requestBytes('/listLicenses', '{"limit":1000}', { headers: [`X-Api-Key: ${job.apiKey}`] });
    const kinds = [get('/docs'), list, get('/openapi.json'), get('/console/'), get('/.well-known/jwks.json')];
    const all = Buffer.concat(Array.from({ length: 12 }, () => kinds).flat());
    await openMany(job, tally, Math.ceil(job.idleConnections / 50), openTrickling, all);
    return {};
  },

  "viewers' tabs": async (job, tally) => {
    const calls = ['/getOverview', '/listLicenses'].map((path) => requestBytes(path, '{}', { headers: ofViewer(job) }));
    let opened = 0;
    const openTab = async (target: Target) => {
      const tab = await openTls(target);
      if (tab === undefined) return undefined;
      const call = calls[opened++ % calls.length] as Buffer;
      const ask = () => tab.writable && tab.write(call);
      onAnswers(tab, (status) => {
        tally.add(status);
        setTimeout(ask, 1_000);
      });
      ask();
      return tab;
    };
    await openMany(job, tally, Math.ceil(job.idleConnections / 5), openTab);
    return {};
  },

  'a campus of apps': async (job, tally) => {
    const [licenseKey] = job.licenseKeys;
    const verify = requestBytes('/verify', JSON.stringify({ licenseKey, productId: 'app' }));
    const answered: Promise<void>[] = [];
    const openApp = async (target: Target) => {
      const socket = await openTls(target);
      if (socket !== undefined)
        answered.push(
          new Promise((resolve) => {
            onAnswers(socket, (status) => {
              tally.add(status);
              resolve();
            });
            socket.once('close', resolve);
          }),
        );
      return socket;
    };
    await openMany(job, tally, job.idleConnections, openApp, verify);
    await Promise.all(answered);
    return {};
  },

  'idle and slow connections': async (job, tally) => {
    // A connection is kept alive longer after a first request.
    const once = requestBytes('/healthz', '', { method: 'GET' });
    for (const socket of await openMany(job, tally, job.idleConnections, openTls, once))
      onAnswers(socket, (status) => tally.add(status));
    const slow = requestBytes('/verify', JSON.stringify({ licenseKey: 'x'.repeat(90), productId: 'app' }));
    for (const socket of await openMany(job, tally, Math.ceil(job.idleConnections / 100), openTls)) {
      onAnswers(socket, (status) => tally.add(status));
      dribble(socket, slow);
    }
    return {};
  },

  'slow connections at the end': async (job, tally) => {
    const count = Math.ceil(job.idleConnections / 100);
    const request = requestBytes('/verify', '{}');
    for (const socket of await openMany(job, tally, count, openTls)) dribble(socket, request);
    return {
      async stopping() {
        // There before the service is asked to end, they become HTTPS connections only after it has cut all others,
        // and then send a request whose body never ends.
        for (const socket of await openMany(job, tally, count, openPlain))
          void finishTlsLate(job, socket, { helloMs: 4_000, finishMs: 11_500 }).then((made) => {
            made?.write(request.subarray(0, -1));
          });
      },
    };
  },
} as const satisfies Record<string, Attack>;

/** The name of an attack. */
export type AttackName = keyof typeof attacks;

/** Attacks that come from sixteen networks. */
export const FROM_SIXTEEN_NETWORKS: ReadonlySet<AttackName> = new Set([
  'costly searches from sixteen networks',
  'forms from sixteen networks',
  'slow forms from sixteen networks',
]);

/** Attacks that get no reply for seconds, or read none. */
export const SILENT: ReadonlySet<AttackName> = new Set([
  'slow forms',
  'slow forms from sixteen networks',
  'lists that nobody reads',
  'documents that nobody reads',
  'requests that wait behind a document',
  'readers of one byte a second',
  'idle and slow connections',
  'slow connections at the end',
]);

/** Attacks beside which the operator, the storefront and other creators must be served. */
export const SHARED_SERVICE: ReadonlySet<AttackName> = new Set([
  ...FROM_SIXTEEN_NETWORKS,
  'costly searches of a creator',
  'forms that ask for codes',
  'slow forms',
]);

/** The names of all attacks. */
export const attackNames = Object.keys(attacks) as AttackName[];

/** The headers of the console's page, where a viewer is signed in. */
function ofViewer({ viewerCookie }: AttackJob): string[] {
  return [`Cookie: ${viewerCookie}`, 'X-Latchkey-Console: 1', 'Sec-Fetch-Site: same-origin'];
}

function redemption({ trialCode }: AttackJob, name: string): Buffer {
  const fields = { code: trialCode, productId: 'app', email: `${name}@example.com` };
  return requestBytes('/redeemTrialCode', JSON.stringify(fields));
}

/** Keeps `depth` requests under way on each connection, and replaces connections that close. */
async function flood(
  job: AttackJob,
  tally: Tally,
  { connections, depth, request }: { connections: number; depth: number; request: (number: number) => Buffer },
): Promise<RunningAttack> {
  let sent = 0;
  const first = Array.from({ length: connections }, async (_, connection) => {
    const begin = async (): Promise<void> => {
      const socket = await openTls(targetFrom(job, connection));
      if (socket === undefined) {
        await wait(100);
        return begin();
      }
      onAnswers(socket, (status) => {
        tally.add(status);
        if (socket.writable) socket.write(request(sent++));
      });
      socket.once('close', () => {
        tally.cut += 1;
        setTimeout(() => void begin(), 100);
      });
      socket.write(Buffer.concat(Array.from({ length: depth }, () => request(sent++))));
    };
    await begin();
  });
  await Promise.all(first);
  return {};
}

/**
 * Opens `count` connections, a few at a time, because a service refuses too many new ones at once. Each sends `first`.
 */
async function openMany(
  job: AttackJob,
  tally: Tally,
  count: number,
  open: (target: Target) => Promise<Socket | undefined>,
  first?: Buffer,
): Promise<Socket[]> {
  const AT_ONCE = 32;
  const sockets: Socket[] = [];
  let begun = 0;
  const work = async () => {
    while (begun < count) {
      const socket = await open(targetFrom(job, begun++));
      if (socket === undefined) {
        tally.cut += 1;
        continue;
      }
      socket.once('close', () => {
        tally.cut += 1;
      });
      if (first !== undefined) socket.write(first);
      sockets.push(socket);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return sockets;
}

/** Sends a byte a second, and begins again after the last one. */
function dribble(socket: Socket, bytes: Buffer): void {
  let index = 0;
  const timer = setInterval(() => {
    if (!socket.writable) clearInterval(timer);
    else socket.write(bytes.subarray(index, index + 1));
    index = (index + 1) % bytes.length;
  }, 1_000);
}
