/** The button of a remedy. Mild remedies act at once; the others describe their effect first. */
import { useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { EndpointCheck, Path, Remedy, RequestOf } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/now.ts';
import { useShortcuts } from '../parts/shortcuts.ts';
import { toast } from '../parts/toast.tsx';
import { isDoneAtOnce, outcomeText, remedyVerb } from './why-words.ts';

export interface RemedyButtonProps {
  readonly remedy: Remedy;
  readonly check: EndpointCheck;
  /** Whether this is the mildest remedy, which stands out. */
  readonly isFirst: boolean;
}

export function RemedyButton({ remedy, check, isFirst }: RemedyButtonProps) {
  const [isAsking, setAsking] = useState(false);
  // The service names the endpoint and its request.
  const path = remedy.endpoint as Path;
  const request = remedy.fields as RequestOf<Path>;
  const verb = remedyVerb(remedy, check, useNow()) ?? '';
  const done = () =>
    toast({
      title: `Done: ${verb}.`,
      detail:
        remedy.outcome === 'ok'
          ? 'The app gets in with its next try.'
          : `The next try comes to: ${outcomeText(remedy.outcome)}.`,
    });
  const change = useQuickChange(path, done);
  const press = () => (isDoneAtOnce(remedy) ? void change.make(request) : setAsking(true));
  useShortcuts(isFirst ? [{ keys: 'f', does: verb, run: press }] : []);
  return (
    <>
      <Button
        look={isFirst ? 'primary' : remedy.action === 'reset_activations' ? 'quiet' : 'plain'}
        title={remedy.effect}
        pending={change.isPending}
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
