/** The button of a remedy. Those that are mild act at once; the others say first what they do. */
import { useState } from 'react';
import { toastRefusal } from '../actions/toast-refusal.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { requestIdOf } from '../api/call.ts';
import type { EndpointCheck, Path, Remedy, RequestOf } from '../api/contract.ts';
import { useWrite } from '../api/writes.ts';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/now.ts';
import { useShortcuts } from '../parts/shortcuts.ts';
import { tellOf, toast } from '../parts/toast.tsx';
import { isDoneAtOnce, outcomeText, remedyVerb } from './why-words.ts';

export interface RemedyButtonProps {
  readonly remedy: Remedy;
  readonly check: EndpointCheck;
  /** Whether it is the mildest, which stands out. */
  readonly isFirst: boolean;
}

/** A button. */
export function RemedyButton({ remedy, check, isFirst }: RemedyButtonProps) {
  const [isAsking, setAsking] = useState(false);
  // The service names the endpoint and what to send there.
  const path = remedy.endpoint as Path;
  const request = remedy.fields as RequestOf<Path>;
  const write = useWrite(path);
  const verb = remedyVerb(remedy, check, useNow()) ?? '';
  const done = () =>
    toast({
      title: `Done: ${verb}.`,
      detail:
        remedy.outcome === 'ok'
          ? 'The app gets in with its next try.'
          : `The next try comes to: ${outcomeText(remedy.outcome)}.`,
    });
  // The button may be gone when the answer comes, because the reason is gone.
  const act = () => void write.mutateAsync(request).then((reply) => tellOf(requestIdOf(reply), done), toastRefusal);
  const press = () => (isDoneAtOnce(remedy) ? act() : setAsking(true));
  useShortcuts(isFirst ? [{ keys: 'f', does: verb, run: press }] : []);
  return (
    <>
      <Button
        look={isFirst ? 'primary' : remedy.action === 'reset_activations' ? 'quiet' : 'plain'}
        title={remedy.effect}
        pending={write.isPending}
        onClick={press}
      >
        {verb}
      </Button>
      {isAsking && (
        <WriteDialog
          path={path}
          request={request}
          title={verb}
          description={remedy.effect}
          verb={verb}
          onClose={() => setAsking(false)}
          onDone={done}
        />
      )}
    </>
  );
}
