/** Creates many codes at once, for example one per visitor of a fair, and offers them as CSV. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { requestIdOfState, useBulk } from '../actions/bulk.ts';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import type { CreateDiscountCodeRequest } from '../api/contract.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton, Mono } from '../parts/copy.tsx';
import { countText } from '../parts/count-words.ts';
import { CsvButton } from '../parts/csv.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { FieldRow, Fields, NumberField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useFormBlocks } from '../parts/form-block.tsx';
import { Meter } from '../parts/meter.tsx';
import { Notice } from '../parts/notice.tsx';
import { OutcomeList } from '../parts/outcome-list.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { Status } from '../parts/status.tsx';
import { wholeNumber } from '../parts/whole-number.ts';
import { LimitFields, OwnerField, TrialFields } from './code-fields.tsx';
import { createRequest, NEW_CODE } from './code-form.ts';
import styles from './many-codes-dialog.module.css';
import { mintCodes } from './mint.ts';

const MOST = 500;

/** The dialog: first the form, then progress and results. */
export function ManyCodesDialog({ product, onClose }: { readonly product: string; readonly onClose: () => void }) {
  const [requests, setRequests] = useState<ReadonlyMap<string, CreateDiscountCodeRequest> | null>(null);
  return requests === null ? (
    <ManyCodesForm product={product} onClose={onClose} onReady={setRequests} />
  ) : (
    <ManyCodesProgress requests={requests} onClose={onClose} />
  );
}

function ManyCodesForm({
  product,
  onClose,
  onReady,
}: {
  readonly product: string;
  readonly onClose: () => void;
  readonly onReady: (requests: ReadonlyMap<string, CreateDiscountCodeRequest>) => void;
}) {
  const [count, setCount] = useState('20');
  const [prefix, setPrefix] = useState('');
  const [form, setForm] = useState({ ...NEW_CODE, product, uses: '1' });
  const many = wholeNumber(count) ?? 0;
  const [isBlocked, Blocking] = useFormBlocks();
  const isWhole = !isBlocked && many > 0 && many <= MOST && createRequest('CODE', form) !== null;
  const start = () => {
    if (!isWhole) return;
    const codes = mintCodes(many, prefix);
    onReady(new Map(codes.map((code) => [code, createRequest(code, form)!])));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Many codes"
      description="Codes that nobody can guess, for giving one to each customer."
      stays
    >
      <Form onSubmit={start}>
        <Fields>
          <FieldRow>
            <NumberField
              label="How many"
              value={count}
              onChange={setCount}
              min={1}
              max={MOST}
              wrong={many > MOST ? `At most ${MOST} at once.` : undefined}
              required
            />
            <TextField
              label="They begin with"
              value={prefix}
              onChange={setPrefix}
              placeholder="SPRING"
              maxLength={60}
              mono
            />
          </FieldRow>
          <TrialFields form={form} onChange={setForm} />
          <Blocking>
            <OwnerField form={form} onChange={setForm} />
          </Blocking>
          <LimitFields form={form} onChange={setForm} />
        </Fields>
        <DialogActions>
          <span />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isWhole}>
            {isWhole ? `Create ${countText(many)} codes` : 'Create codes'}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function ManyCodesProgress({
  requests,
  onClose,
}: {
  readonly requests: ReadonlyMap<string, CreateDiscountCodeRequest>;
  readonly onClose: () => void;
}) {
  const bulk = useBulk('/createDiscountCode', requests);
  const run = useRef(bulk.run);
  run.current = bulk.run;
  useEffect(() => void run.current(), []);
  const total = requests.size;
  const isOver = bulk.states.size > 0 && !bulk.isRunning;
  const made = useMemo(
    () => [...requests.keys()].filter((code) => bulk.states.get(code)?.state === 'done'),
    [requests, bulk.states],
  );
  const refused = [...bulk.states].flatMap(([code, state]) =>
    state.state === 'refused' ? [{ code, refusal: state.refusal }] : [],
  );
  const [first] = refused;
  return (
    <Dialog open onClose={() => !bulk.isRunning && onClose()} title="Many codes" stays>
      <Fields>
        <p role="status" className={styles.progress}>
          <Meter label="Created" used={bulk.done} limit={total} withNumbers={false} mayFill />
          {`${countText(bulk.done)} of ${countText(total)} are created`}
          {bulk.refused > 0 && `, ${countText(bulk.refused)} were refused`}.
        </p>
        {isOver && first !== undefined && <RefusalNotice refusal={first.refusal} onRetry={() => void bulk.run()} />}
        {isOver && refused.length > 1 && (
          <OutcomeList
            label="Codes that were refused"
            lines={refused.map(({ code, refusal }) => ({
              key: code,
              name: <Mono>{code}</Mono>,
              outcome: <Status tone="danger">{wordsFor(refusal).title}</Status>,
              requestId: refusal.requestId,
            }))}
          />
        )}
        {isOver && made.length > 0 && (
          <Notice
            tone="good"
            title="Keep them now."
            actions={
              <>
                <CopyButton text={() => made.join('\n')} label="Copy the codes" look="plain">
                  Copy
                </CopyButton>
                <CsvButton
                  file={{ name: 'codes', entries: () => made.map((code) => inFile(requests.get(code)!)) }}
                  small
                />
              </>
            }
          >
            They can be found in the list later, too.
            <RequestIds of={made.map((code) => requestIdOfState(bulk.states.get(code)))} />
          </Notice>
        )}
      </Fields>
      <DialogActions>
        <span />
        <Button look="primary" pending={!isOver} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** A code as the file shows it. */
function inFile({ code, productId, creatorId, trialDays, maxUses, expiresAt }: CreateDiscountCodeRequest) {
  return { code, product: productId, creator: creatorId, 'trial days': trialDays, uses: maxUses, expires: expiresAt };
}
