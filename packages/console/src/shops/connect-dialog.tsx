/** Connects a shop: the form, and then the values to paste at the seller. */
import { useState } from 'react';
import { CreatorField } from '../actions/creator-field.tsx';
import { ShownOnce } from '../actions/shown-once.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { CreateConnectorReply, ShopSource } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, type DialogOf } from '../parts/dialog.tsx';
import { FieldRow, SelectField, TextField } from '../parts/field.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { connectRequest, NEW_SHOP, wrongPrefix } from './forms.ts';
import { SetupSteps } from './setup-steps.tsx';
import { SELLERS } from './words.ts';

/** A shop that was just connected. */
export type Connected = Pick<CreateConnectorReply, 'connectorId' | 'url' | 'secret' | 'steps'> & {
  readonly source: ShopSource;
  readonly name: string;
  /** The ID of the request that made it; null if unknown. */
  readonly requestId: string | null;
};

const SOURCES = (Object.keys(SELLERS) as ShopSource[]).map((value) => ({ value, title: SELLERS[value].title }));

export function ConnectDialog({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (made: Connected) => void;
}) {
  const [form, setForm] = useState(NEW_SHOP);
  const isOperator = useSession().kind === 'operator';
  return (
    <WriteDialog
      path="/createConnector"
      title="Connect your shop"
      description="The next step shows the address to paste at the seller. The shop watches until you turn it on: no license changes before."
      verb="Connect"
      wide
      request={connectRequest(form)}
      onClose={onClose}
      onDone={(reply, requestId, { source, name }) => onMade({ ...reply, source, name, requestId })}
    >
      <FieldRow>
        <SelectField
          label="Seller"
          value={form.source}
          onChange={(source) => setForm({ ...form, source: source as ShopSource })}
          options={SOURCES}
        />
        <SelectField
          label="Sales"
          value={form.mode}
          onChange={(mode) => setForm({ ...form, mode: mode === 'test' ? 'test' : 'live' })}
          options={[
            { value: 'live', title: 'Real sales' },
            { value: 'test', title: 'Tests' },
          ]}
          hint={form.mode === 'test' ? 'Licenses of a test last 14 days at most.' : 'Tests of the seller are ignored.'}
        />
      </FieldRow>
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => setForm({ ...form, name })}
        hint="It stands in lists, and as the author of the changes to licenses."
        maxLength={100}
        required
      />
      {isOperator && (
        <CreatorField
          label="Creator"
          value={form.creator}
          onChange={(creator) => setForm({ ...form, creator })}
          hint="Its owner, whose products it can sell. Leave empty for the operator."
        />
      )}
      <TextField
        label="Prefix"
        value={form.prefix}
        onChange={(prefix) => setForm({ ...form, prefix })}
        placeholder={form.source}
        wrong={wrongPrefix(form.prefix)}
        hint="Begins the purchase ids of its sales. A second shop at the same seller needs another one."
        maxLength={40}
        mono
      />
    </WriteDialog>
  );
}

/** The values to paste at the seller, once a shop is connected. A secret that the service made is shown only here. */
export function ConnectedDialog({ of: made, onClose }: DialogOf<Connected>) {
  const { secret, source, name, requestId } = made;
  const title = `Set up ${name} at ${SELLERS[source].title}`;
  const description = 'Do these steps there. The page of the shop shows them again, without the secret.';
  if (secret !== undefined)
    return (
      <ShownOnce
        secret={secret}
        kind="secret"
        title={title}
        description={`${description} The signing secret is shown only this once.`}
        requestId={requestId}
        onClose={onClose}
      >
        <SetupSteps of={made} />
      </ShownOnce>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      stays
      title={title}
      description={description}
      actions={
        <Button look="primary" onClick={onClose}>
          Open the shop
        </Button>
      }
    >
      <SetupSteps of={made} />
      <RequestIds of={[requestId]} />
    </Dialog>
  );
}
