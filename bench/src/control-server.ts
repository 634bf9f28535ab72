/** Starts the control (control.ts). */
import { Child } from './child.ts';
import type { Address } from './connection.ts';
import type { ControlOrder, ControlReport } from './messages.ts';

/** Certificate and private key of a TLS server, as PEM text. */
export interface CertificateWithKey {
  readonly certificate: string;
  readonly key: string;
}

/** A running control. */
export interface ControlServer {
  readonly address: Address;
  readonly pid: number;
  /** Makes this JSON text the body of every response from now on. */
  answerWith(body: string): Promise<void>;
  stop(): void;
}

/** Starts a control on a free port; on plain HTTP if `tls` is null. */
export async function startControl(tls: CertificateWithKey | null): Promise<ControlServer> {
  const child = new Child<ControlOrder, ControlReport>('./control.ts');
  const { port } = await child.ask({ kind: 'listen', tls }, 'listening');
  return {
    address: { port, certificate: tls?.certificate ?? null },
    pid: child.pid,
    answerWith: async (body) => {
      await child.ask({ kind: 'answer', body }, 'answering');
    },
    stop: () => child.stop(),
  };
}
