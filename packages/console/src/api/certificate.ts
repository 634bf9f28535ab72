/** The certificate that programs must trust to call the service. */
import type { ReplyOf } from './contract.ts';
import { useRead } from './reads.ts';
import { useCan } from './session.ts';

/** The way a program trusts the certificate of the service; null if every program trusts it. */
export type Trust = NonNullable<ReplyOf<'/getSystem'>['certificate']>['trust'];

/** The name under which the browser saves the certificate. */
export const SAVED_CERTIFICATE = 'latchkey-cert.pem';

/** The certificate of the service, as far as the signed-in person may know it. */
export interface KnownCertificate {
  readonly trust: Trust;
  /** See {@link certificateFileFor}. */
  readonly file: string | null;
  /** Whether it is still being read. */
  readonly isPending: boolean;
}

/** Reads the certificate. */
export function useCertificate(): KnownCertificate {
  const mayRead = useCan('/getSystem');
  const { data, isPending } = useRead('/getSystem', {}, { enabled: mayRead, later: true });
  const trust = data?.certificate?.trust ?? null;
  return { trust, file: certificateFileFor(trust, location.hostname), isPending: mayRead && isPending };
}

/**
 * The path of the certificate for programs beside the browser. On another machine than the service's, it is the file
 * that the browser saved, in the folder where the program starts.
 *
 * @param hostname the host in the address of the console
 */
export function certificateFileFor(trust: Trust, hostname: string): string | null {
  if (trust === null) return null;
  return isThisMachine(hostname) ? trust.file : SAVED_CERTIFICATE;
}

/** Whether an address leads to the machine of the browser. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
