/** Finds the licenses of a pasted list of keys, addresses and purchases, and selects them. */
import { useState } from 'react';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { call } from '../api/call.ts';
import type { FindLicensesReply, RequestOf } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { NamedItems } from '../parts/named-items.tsx';
import { linesIn, MAX_LINES } from './pasted-lines.ts';
import { pastedCounts } from './pasted-words.ts';

export interface PasteDialogProps {
  /** The product that filters the list; '' for all. */
  readonly productId: string;
  readonly onSelect: (request: RequestOf<'/findLicenses'>, reply: FindLicensesReply) => void;
  readonly onClose: () => void;
}

/** Mount it only while it is open. */
export function PasteDialog({ productId, onSelect, onClose }: PasteDialogProps) {
  const [text, setText] = useState('');
  const [reply, setReply] = useState<FindLicensesReply | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isPending, setPending] = useState(false);
  const lines = linesIn(text);
  const isTooLong = lines.length > MAX_LINES;
  const request = { names: [...lines], ...given({ productId }) };
  const find = async () => {
    if (lines.length === 0 || isTooLong || isPending) return;
    setPending(true);
    setRefusal(null);
    try {
      setReply(await call('/findLicenses', request));
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setPending(false);
  };
  const select = (found: FindLicensesReply) => {
    onSelect(request, found);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Paste a list"
      description={
        reply === null
          ? `License keys, e-mail addresses or ids of purchases, at most ${MAX_LINES}; a column of a spreadsheet will do.${productId === '' ? '' : ` Only licenses for ${productId} are found.`}`
          : undefined
      }
      stays
    >
      {reply === null ? (
        <Form onSubmit={() => void find()}>
          <Fields>
            <TextField
              label="List"
              rows={8}
              value={text}
              onChange={setText}
              hint={lines.length === 0 ? 'One on each line, or divided by commas.' : counted(lines.length, 'line')}
              wrong={isTooLong ? `${countText(lines.length)} lines; at most ${MAX_LINES} at once.` : undefined}
            />
            {refusal !== null && <RefusalNotice refusal={refusal} onRetry={() => void find()} />}
          </Fields>
          <DialogActions>
            <span />
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" disabled={lines.length === 0 || isTooLong} pending={isPending}>
              Find licenses
            </Button>
          </DialogActions>
        </Form>
      ) : (
        <Found
          reply={reply}
          sent={lines.length}
          onBack={() => setReply(null)}
          onSelect={() => select(reply)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface FoundProps {
  readonly reply: FindLicensesReply;
  /** Number of lines, with repeated ones. */
  readonly sent: number;
  readonly onBack: () => void;
  readonly onSelect: () => void;
  readonly onClose: () => void;
}

function Found({ reply, sent, onBack, onSelect, onClose }: FoundProps) {
  const { sentences, unknown, licenses: count } = pastedCounts(reply, sent);
  return (
    <>
      <Fields>
        <div role="status">
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
        {unknown.length > 0 && (
          <>
            <NamedItems label="Unknown lines" names={unknown} />
            <div>
              <CopyButton text={unknown.join('\n')} look="plain" label="Copy the unknown lines">
                Copy the unknown lines
              </CopyButton>
            </div>
          </>
        )}
      </Fields>
      <DialogActions>
        <Button look="quiet" onClick={onBack}>
          Change the list
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={count === 0} onClick={onSelect}>
          {count === 0 ? 'Select' : `Select ${counted(count, 'license')}`}
        </Button>
      </DialogActions>
    </>
  );
}
