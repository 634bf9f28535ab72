/** The site of the console: its built files, read into memory at start, and their answers (rules 5.5). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formFor, isKept, type SharedText, tagged } from '../../ground/base/shared-text.ts';
import { type RefusalCode, refuse, statusOf, textOf } from '../../platform/endpoint/refusals.ts';
import type { SiteAnswer } from '../../platform/sites/answer.ts';
import type { Site } from '../../platform/sites/site.ts';

/** The path without its trailing slash, and with it. */
const BARE_PATH = '/console';
const ROOT_PATH = '/console/';
const INDEX = 'index.html';
/** Names of these files contain a hash of their content. */
const HASHED = /^assets\//;

/** The page runs only scripts of the service itself, may not be framed, and forbids scripts to turn text into HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const SECURITY_HEADERS = [
  ...['Content-Security-Policy', POLICY],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
  ...['Permissions-Policy', 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()'],
];

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
};

/** Compressed forms of a file, best first: name in headers, and suffix of the file. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface ServedFile {
  readonly contentType: string;
  readonly isHashed: boolean;
  readonly forms: SharedText<ReturnType<typeof tagged>>;
}

/**
 * The folder of the built console: Vite's output in the repository, a folder beside the JavaScript in the package. Null
 * when it was not built.
 */
export function findConsoleFolder(): string | null {
  const place = extname(import.meta.filename) === '.ts' ? '../../../../console/dist/' : 'console/';
  const folder = fileURLToPath(new URL(place, import.meta.url));
  return existsSync(join(folder, INDEX)) ? folder : null;
}

/**
 * Serves the files of a folder under /console/. Requests are matched against the known names and never reach the disk.
 *
 * @param folder from {@link findConsoleFolder}; null serves a page with build instructions
 * @throws when the folder cannot be read
 */
export function consoleSite(folder: string | null): Site {
  const files = folder === null ? new Map<string, ServedFile>() : readFiles(folder);

  function answerTo(path: string, method: string, headers: IncomingHttpHeaders): SiteAnswer {
    if (method !== 'GET' && method !== 'HEAD') return refusal('method_not_allowed');
    if (path === BARE_PATH) return REDIRECT_TO_ROOT;
    const name = path.slice(ROOT_PATH.length);
    const file = files.get(name === '' ? INDEX : name);
    if (file !== undefined) return fileAnswer(file, headers);
    return name === '' ? UNBUILT : refusal('not_found');
  }

  return {
    countedPaths: [ROOT_PATH],
    has: (path) => path === BARE_PATH || path.startsWith(ROOT_PATH),
    answer(visit) {
      const busy = visit.countAsCall();
      if (busy === null) visit.send(answerTo(visit.path, visit.method, visit.headers));
      else visit.refuse(busy);
    },
  };
}

function readFiles(folder: string): Map<string, ServedFile> {
  const found = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(folder, path).split(sep).join('/'), readFileSync(path)] as const;
      }),
  );
  const files = new Map<string, ServedFile>();
  for (const [name, body] of found) {
    if (ENCODINGS.some(({ suffix }) => name.endsWith(suffix))) continue;
    const compressed = ENCODINGS.flatMap(({ name: encoding, suffix }) => {
      const shorter = found.get(name + suffix);
      return shorter === undefined ? [] : [tagged(shorter, encoding)];
    });
    files.set(name, {
      contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      isHashed: HASHED.test(name),
      forms: [...compressed, tagged(body, null)],
    });
  }
  return files;
}

function fileAnswer({ contentType, isHashed, forms }: ServedFile, asked: IncomingHttpHeaders): SiteAnswer {
  const form = formFor(forms, asked['accept-encoding']);
  const headers = [
    ...SECURITY_HEADERS,
    'Content-Type',
    contentType,
    'Cache-Control',
    isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'ETag',
    form.etag,
    'Vary',
    'Accept-Encoding',
    ...(form.encoding === null ? [] : ['Content-Encoding', form.encoding]),
  ];
  return { status: isKept(form, asked['if-none-match']) ? 304 : 200, headers, body: form.body };
}

const REDIRECT_TO_ROOT: SiteAnswer = {
  status: 302,
  headers: [...SECURITY_HEADERS, 'Location', ROOT_PATH, 'Cache-Control', 'no-store'],
  body: Buffer.alloc(0),
};

function refusal(refused: RefusalCode): SiteAnswer {
  const body = Buffer.from(JSON.stringify({ success: false, error: textOf(refuse(refused)) }));
  const headers = [
    ...SECURITY_HEADERS,
    'Content-Type',
    'application/json; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Latchkey-Code',
    refused,
    ...(refused === 'method_not_allowed' ? ['Allow', 'GET, HEAD'] : []),
  ];
  return { status: statusOf(refused), headers, body, refused };
}

const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Latchkey: the console is not built</title>
<h1>The console is not built</h1>
<p>Run this in the folder of Latchkey, then start the service again. It installs what builds the console, and builds it:</p>
<pre>npm ci</pre>
<p>Everything else works without it; <a href="../docs">the reference</a> describes the endpoints.</p>
</html>
`;

const UNBUILT: SiteAnswer = {
  status: 404,
  headers: [...SECURITY_HEADERS, 'Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store'],
  body: Buffer.from(UNBUILT_PAGE),
  refused: 'not_found',
};
