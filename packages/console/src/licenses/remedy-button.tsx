/** The button of a remedy. Mild remedies act at once; the others ask first. */
import { type ReactNode, useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { sendLater } from '../actions/delayed.ts';
import { EndSessionDialog, RemoveMachineDialog } from '../actions/machine-dialogs.tsx';
import { undoOfUpdate } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Activation, EndpointCheck, License, Path, Remedy, ReplyOf, RequestOf } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/now.ts';
import { useShortcuts } from '../parts/shortcuts.ts';
import { toast } from '../parts/toast.tsx';
import { fieldsOf, freedMachine, hasKey, questionOf } from './remedy-question.ts';
import { ReinstateDialog, ResetDialog } from './state-dialogs.tsx';
import { outcomeText, remedyDone, remedyVerb } from './why-words.ts';

export interface RemedyButtonProps {
  readonly remedy: Remedy;
  readonly check: EndpointCheck;
  /** The license as the panel shows it. */
  readonly license: License;
  /** The machines of the license: the first page of them, and the number of all. */
  readonly machines: { readonly activations: readonly Activation[]; readonly activationCount: number };
  /** Whether this is the mildest remedy, which stands out. */
  readonly isFirst: boolean;
}

export function RemedyButton({ remedy, check, license, machines, isFirst }: RemedyButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  const now = useNow();
  // The service names the endpoint and its request.
  const path = remedy.endpoint as Path;
  const request = fieldsOf(remedy, license) as RequestOf<Path>;
  const verb = remedyVerb(remedy, check, now) ?? '';
  const undo = useUndoToast();
  const done = (reply?: ReplyOf<Path>) =>
    toast({
      ...(path === '/updateLicense' && reply !== undefined
        ? undo(
            undoOfUpdate(license, (reply as ReplyOf<'/updateLicense'>).license, request as RequestOf<'/updateLicense'>),
          )
        : {}),
      title: remedyDone(remedy, check, license.email, now),
      detail:
        remedy.outcome === 'ok'
          ? 'The app gets in with its next try.'
          : `The next try comes to: ${outcomeText(remedy.outcome)}.`,
    });
  const change = useQuickChange(path, done);
  const question = questionOf(remedy, check, now);
  const machine = freedMachine(remedy, check);
  const press = () => {
    if (question !== 'none') return setAsking(true);
    if (remedy.action !== 'release_activation' || machine === null) return void change.make(request);
    // It can be taken back for a moment, because the machine itself cannot.
    setWaiting(true);
    sendLater(
      `${machine.name} is removed in a moment.`,
      () => change.make(request),
      () => setWaiting(false),
    );
  };
  useShortcuts(isFirst && hasKey(question) && !isWaiting ? [{ keys: 'f', does: verb, run: press }] : []);
  const closing = { onClose: () => setAsking(false), onDone: () => done() };
  const ask = (): ReactNode => {
    if (question === 'machine' && machine !== null) return <RemoveMachineDialog machine={machine} {...closing} />;
    if (question === 'session' && machine !== null) return <EndSessionDialog machine={machine} {...closing} />;
    if (question === 'all machines') return <ResetDialog license={license} {...machines} {...closing} />;
    if (question === 'reinstatement') return <ReinstateDialog license={license} onClose={closing.onClose} />;
    const description = `${remedy.effect} This cannot be undone.`;
    return (
      <WriteDialog path={path} request={request} title={verb} description={description} verb={verb} {...closing} />
    );
  };
  return (
    <>
      <Button
        look={isFirst ? 'primary' : remedy.action === 'reset_activations' ? 'quiet' : 'plain'}
        title={remedy.effect}
        pending={change.isPending || isWaiting}
        onClick={press}
      >
        {verb}
      </Button>
      {isAsking && ask()}
    </>
  );
}
