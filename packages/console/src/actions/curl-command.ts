/** Requests as commands for this service. Loaded on demand. */
import { certificateFileFor, type Trust } from '../api/certificate.ts';
import { serviceAddress } from '../api/connection.ts';
import type { ConsolePersonKind, Path, RequestOf } from '../api/contract.ts';
import { curlLine } from '../api/curl.ts';

/** The command of a request for a person. @param trust null also if the person may not know it */
export function commandOf<At extends Path>(
  trust: Trust,
  person: ConsolePersonKind,
  path: At,
  request: RequestOf<At>,
): string {
  const certificateFile = certificateFileFor(trust, location.hostname);
  return curlLine({ origin: serviceAddress(), certificateFile }, person, path, request);
}
