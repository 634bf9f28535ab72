/** Files served from memory below one path. Requests are matched against the known names and never reach the disk. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RefusalCode } from '../endpoint/refusals.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** The reply to a request for a file. */
export interface FileAnswer {
  readonly status: number;
  /** Alternating names and values; excludes the headers that every reply has. */
  readonly headers: readonly string[];
  /** The body; not sent for HEAD and 304. */
  readonly body: Buffer;
  /** Reason for a missing file, for the log. */
  readonly refused?: RefusalCode;
}

export interface StaticFiles {
  /** The path of the page itself, which metrics count separately. */
  readonly root: string;
  /** The reply to a request; null for a path outside the root. */
  answer(path: string, method: string, headers: IncomingHttpHeaders): FileAnswer | null;
}

/** Sends a file, or the refusal. */
export function sendFile(
  response: ServerResponse,
  file: FileAnswer,
  requestId: string,
  unsent: UnsentAnswers,
  address: string | null,
): FileAnswer {
  const { status, headers, body } = file;
  const length = status === 304 ? [] : ['Content-Length', String(body.length)];
  response.writeHead(status, [
    ...headers,
    ...length,
    'X-Request-Id',
    requestId,
    'Strict-Transport-Security',
    'max-age=31536000',
  ]);
  if (status === 304) response.end();
  else unsent.send(response, { body, isShared: true, address });
  return file;
}
