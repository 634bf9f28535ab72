/** The dialogs of a connected shop: its state, settings, secret, API key, and its end. */
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Connector, MailLanguage } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { Checkbox, FieldRow, NumberField, SelectField, TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { wholeNumber } from '../parts/whole-number.ts';
import { settingsFormOf, settingsRequest } from './forms.ts';
import { SELLERS } from './words.ts';

/** Lets a shop change licenses. */
export function TurnOnDialog({ of: { connectorId, name, counts }, onClose }: DialogOf<Connector>) {
  const watched = counts.watched ?? 0;
  const [isApplied, setApplied] = useState(true);
  const events = counted(watched, 'watched event');
  return (
    <WriteDialog
      path="/updateConnector"
      title={`Turn on ${name}`}
      description="From now on, sales issue licenses, payments renew them, and refunds and disputes revoke them. Buyers get their keys by e-mail."
      verb="Turn on"
      request={{ connectorId, state: 'on', ...(watched > 0 && isApplied ? { applyWatched: true } : {}) }}
      onClose={onClose}
      onDone={() => toast({ title: `${name} is on.` })}
    >
      {watched > 0 && (
        <Checkbox
          label={`Apply ${events}`}
          hint="The oldest first. Without it they stay as they are, and can be applied later."
          checked={isApplied}
          onChange={setApplied}
        />
      )}
    </WriteDialog>
  );
}

/** Stops a shop from changing licenses. */
export function PauseDialog({ of: { connectorId, name }, onClose }: DialogOf<Connector>) {
  return (
    <WriteDialog
      path="/updateConnector"
      title={`Pause ${name}`}
      description="Events are stored and not applied: buyers get no key, and nothing is renewed or revoked. You can apply them when you turn the shop on again."
      verb="Pause"
      request={{ connectorId, state: 'paused' }}
      onClose={onClose}
      onDone={() => toast({ title: `${name} is paused.` })}
    />
  );
}

/** Sets the name and the settings. */
export function SettingsDialog({ of: present, onClose }: DialogOf<Connector>) {
  const [connector] = useState(present);
  const [form, setForm] = useState(() => settingsFormOf(connector));
  return (
    <WriteDialog
      path="/updateConnector"
      title={`Settings of ${connector.name}`}
      description="They hold for events from now on."
      verb="Save"
      wide
      request={settingsRequest(connector, form)}
      onClose={onClose}
      onDone={() => toast({ title: `${form.name.trim()} was changed.` })}
    >
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => setForm({ ...form, name })}
        maxLength={100}
        required
      />
      <FieldRow>
        <NumberField
          label="Grace after a paid period"
          value={form.graceDays}
          onChange={(graceDays) => setForm({ ...form, graceDays })}
          min={0}
          max={365}
          unit="days"
          hint="Unless the variant gives more."
        />
        <NumberField
          label="Grace while a payment fails"
          value={form.dunningDays}
          onChange={(dunningDays) => setForm({ ...form, dunningDays })}
          min={0}
          max={365}
          unit="days"
          hint="While the seller tries to collect it."
        />
      </FieldRow>
      <FieldRow>
        <SelectField
          label="A part of the money goes back"
          value={form.partialRefund}
          onChange={(chosen) => setForm({ ...form, partialRefund: chosen === 'revoke' ? 'revoke' : 'keep' })}
          options={[
            { value: 'keep', title: 'Keep the license' },
            { value: 'revoke', title: 'Revoke the license' },
          ]}
          hint="Where the seller names no line."
        />
        <SelectField
          label="A dispute is won"
          value={form.disputeWon}
          onChange={(chosen) => setForm({ ...form, disputeWon: chosen === 'reinstate' ? 'reinstate' : 'attention' })}
          options={[
            { value: 'attention', title: 'Ask me' },
            { value: 'reinstate', title: 'Reinstate the license' },
          ]}
        />
      </FieldRow>
      <Checkbox
        label="Send keys by e-mail"
        hint="The buyer gets one e-mail for each order."
        checked={form.mail}
        onChange={(mail) => setForm({ ...form, mail })}
      />
      {form.mail && (
        <SelectField
          label="Language of e-mails"
          value={form.language}
          onChange={(language) => setForm({ ...form, language: language as MailLanguage | '' })}
          options={LANGUAGES}
        />
      )}
      <TextField
        label="Notify"
        value={form.notify}
        onChange={(notify) => setForm({ ...form, notify })}
        hint="Addresses for events that need a decision, divided by commas. A shop for tests sends all e-mails there."
      />
      <TextField
        label="Thank-you pages"
        value={form.origins}
        onChange={(origins) => setForm({ ...form, origins })}
        placeholder="https://shop.example.com"
        hint="Origins of pages that may show the keys of an order, divided by commas."
      />
    </WriteDialog>
  );
}

const LANGUAGES: readonly { readonly value: MailLanguage | ''; readonly title: string }[] = [
  { value: '', title: 'That of the buyer' },
  { value: 'en', title: 'English' },
  { value: 'de', title: 'German' },
  { value: 'fr', title: 'French' },
  { value: 'es', title: 'Spanish' },
];

/** The longest overlap of two secrets, in hours. */
const LONGEST_OVERLAP = 168;

/** Enters the signing secret that the seller shows. */
export function SecretDialog({ of: { connectorId, source, secretHints }, onClose }: DialogOf<Connector>) {
  const [secret, setSecret] = useState('');
  const [hours, setHours] = useState('24');
  const isFirst = secretHints.length === 0;
  const overlapHours = isFirst ? 0 : wholeNumber(hours, 0);
  const isWhole = secret.trim() !== '' && overlapHours != null && overlapHours <= LONGEST_OVERLAP;
  return (
    <WriteDialog
      path="/updateConnector"
      title={isFirst ? 'Enter the signing secret' : 'New signing secret'}
      description={`${SELLERS[source].title} signs every request with it, so that nobody else can report a sale. It is stored sealed, and only its end is shown.`}
      verb="Save"
      request={isWhole ? { connectorId, secret: secret.trim(), ...(isFirst ? {} : { overlapHours }) } : null}
      onClose={onClose}
      onDone={() => toast({ title: 'The signing secret was saved.' })}
    >
      <TextField label="Signing secret" type="password" value={secret} onChange={setSecret} mono required />
      {!isFirst && (
        <NumberField
          label="The former one is taken for another"
          value={hours}
          onChange={setHours}
          min={0}
          max={LONGEST_OVERLAP}
          unit="hours"
          hint="0 revokes it at once, as after a leak."
        />
      )}
    </WriteDialog>
  );
}

/** Enters the key of the seller's API. */
export function ApiKeyDialog({ of: { connectorId, source }, onClose }: DialogOf<Connector>) {
  const [key, setKey] = useState('');
  const { title, hasBroadKeys } = SELLERS[source];
  const reach = hasBroadKeys ? ` A key of ${title} can do everything in your store.` : '';
  return (
    <WriteDialog
      path="/updateConnector"
      title={`API key of ${title}`}
      description={`With it the service reads what an event does not tell, and sales that it missed during an outage.${reach} Events that waited for a key are applied at once.`}
      verb="Save"
      request={key.trim() === '' ? null : { connectorId, sellerApiKey: key.trim() }}
      onClose={onClose}
      onDone={() => toast({ title: 'The API key was saved.' })}
    >
      <TextField
        label="API key"
        type="password"
        value={key}
        onChange={setKey}
        hint="It is stored sealed, and only its end is shown."
        mono
        required
      />
    </WriteDialog>
  );
}

/** Reads the events that did not arrive. */
export function CatchUpDialog({ of: { connectorId, source }, onClose }: DialogOf<Connector>) {
  return (
    <WriteDialog
      path="/updateConnector"
      title="Catch up now"
      description={`The service asks ${SELLERS[source].title} which events it missed, as it does every hour by itself. Nothing is carried out twice.`}
      verb="Catch up"
      request={{ connectorId, catchUp: true }}
      onClose={onClose}
      onDone={() => toast({ title: `${SELLERS[source].title} is asked for missed events.` })}
    />
  );
}

/** Removes the key of the seller's API. */
export function RemoveApiKeyDialog({ of: { connectorId, source }, onClose }: DialogOf<Connector>) {
  return (
    <WriteDialog
      path="/updateConnector"
      title="Remove the API key"
      description={`The service asks ${SELLERS[source].title} nothing any more. Sales that an event does not tell whole wait for your decision.`}
      verb="Remove"
      danger
      request={{ connectorId, sellerApiKey: null }}
      onClose={onClose}
      onDone={() => toast({ title: 'The API key was removed.' })}
    />
  );
}

/** Ends the connection. */
export function DeleteDialog({ of: { connectorId, name }, onClose }: DialogOf<Connector>) {
  return (
    <WriteDialog
      path="/deleteConnector"
      title={`Delete ${name}`}
      description="Its address takes no more events, and the events and sales so far are deleted, which cannot be undone. Licenses stay as they are, and nothing that the seller tells reaches them any more."
      verb="Delete shop"
      danger
      request={{ connectorId }}
      onClose={onClose}
      onDone={() => {
        toast({ title: `${name} is no longer connected.` });
        location.assign('#/shops');
      }}
    />
  );
}
