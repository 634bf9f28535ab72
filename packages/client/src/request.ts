/** The text by which a machine without a network asks an operator for a license file. It proves nothing. */
import { base64urlOf } from './license-file.ts';

/** The content of a request. */
export interface LicenseFileRequest {
  readonly productId: string;
  readonly licenseKey: string;
  readonly fingerprint: string;
  readonly hostname: string;
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly createdAt: number;
}

/** The request in armour, in short lines. */
export function requestText({ createdAt, ...fields }: LicenseFileRequest): string {
  const request = { v: 1, ...fields, client: '@latchkey/client', createdAt: new Date(createdAt).toISOString() };
  const encoded = base64urlOf(new TextEncoder().encode(JSON.stringify(request)));
  const lines = encoded.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN LATCHKEY REQUEST-----', ...lines, '-----END LATCHKEY REQUEST-----', ''].join('\n');
}
