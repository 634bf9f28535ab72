/** Explains which variable is wrong when the service cannot listen on an address or port, and how to correct it. */
import { ConfigError } from '../config/config.ts';
import type { Variable } from '../config/variables.ts';

/** The address and port to listen on. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Turns a system error into one for the operator.
 *
 * @param place null if there was nothing to listen on
 * @param hostVariable names the address in the configuration, `portVariable` the port
 * @returns a function that throws ConfigError for a refusal by the system, and rethrows anything else
 */
export function listenFault(place: Place | null, hostVariable: Variable, portVariable: Variable) {
  return (error: unknown): never => {
    const { code, syscall, address } = error as NodeJS.ErrnoException & { readonly address?: string };
    if (place === null || code === undefined || syscall === undefined) throw error;
    throw new ConfigError([
      faultOf(code, syscall, place, address ?? place.host, hostVariable, portVariable) ??
        `${hostVariable} is ${place.host} and ${portVariable} ${place.port}, where the system refuses to listen (${code})`,
    ]);
  };
}

function faultOf(
  code: string,
  syscall: string,
  { host, port }: Place,
  address: string,
  hostVariable: Variable,
  portVariable: Variable,
): string | null {
  if (code === 'EADDRINUSE')
    return `${portVariable} is ${port}, where another program already listens on ${address}: stop it, or set ${portVariable} to a free port`;
  if (code === 'EACCES')
    return `${portVariable} is ${port}, which this user may not listen on: choose a port from 1024, or give the process CAP_NET_BIND_SERVICE`;
  if (code === 'EADDRNOTAVAIL')
    return `${hostVariable} is ${host}, which is not an address of this machine: set ${hostVariable} to one of its own, or to :: for all`;
  if (syscall === 'getaddrinfo')
    return `${hostVariable} is ${host}, a name without an address (${code}): correct the name, or set ${hostVariable} to an address`;
  return null;
}
