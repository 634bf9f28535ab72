/** Files that are served under one path, from memory: what is asked for is looked up among their names, never on the disk. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RefusalCode } from '../refusals.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** The answer to a request for a file. */
export interface FileAnswer {
  readonly status: number;
  /** Name and value in turn; all but those that every answer has. */
  readonly headers: readonly string[];
  /** What is sent, but for HEAD and 304. */
  readonly body: Buffer;
  /** Why there is no file, for the log. */
  readonly refused?: RefusalCode;
}

/** Files under one path. */
export interface StaticFiles {
  /** The path of the page itself, which metrics count by itself. */
  readonly root: string;
  /** The answer to a request; null for a path that is not theirs. */
  answer(path: string, method: string, headers: IncomingHttpHeaders): FileAnswer | null;
}

/** Sends a file, or why there is none. */
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
