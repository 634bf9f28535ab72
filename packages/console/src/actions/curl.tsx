/** The requests of the console as shell commands. */
import { useEffect, useState } from 'react';
import type { Path, RequestOf } from '../api/contract.ts';
import { useReading } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { CopyButton } from '../parts/copy.tsx';
import { CodeLine } from '../parts/curl.tsx';

interface CallProps<At extends Path> {
  readonly path: At;
  readonly request: RequestOf<At>;
}

/**
 * A function that makes the command of a request, with the certificate as far as the person may know it. Few people
 * want a command, so its code and the certificate are read then.
 */
function useCurlLine<At extends Path>({ path, request }: CallProps<At>): () => Promise<string> {
  const { kind } = useSession();
  const mayRead = useCan('/getSystem');
  const readSystem = useReading('/getSystem', {});
  return async () => {
    const [{ commandOf }, system] = await Promise.all([
      import('./curl-command.ts'),
      mayRead ? readSystem().catch(() => null) : null,
    ]);
    return commandOf(system?.certificate?.trust ?? null, kind, path, request);
  };
}

/** A quiet button that copies a request as a command. */
export function CopyAsCurl<At extends Path>(call: CallProps<At>) {
  return (
    <CopyButton text={useCurlLine(call)} label="Copy as curl">
      Copy as curl
    </CopyButton>
  );
}

/** A request as a whole command, for empty lists. @param label the purpose of the command */
export function CurlExample<At extends Path>({ label, ...call }: CallProps<At> & { readonly label: string }) {
  const [line, setLine] = useState('');
  const make = useCurlLine(call);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an example does not change
  useEffect(() => {
    make().then(setLine, () => {});
  }, []);
  return line === '' ? null : <CodeLine label={label} line={line} />;
}
