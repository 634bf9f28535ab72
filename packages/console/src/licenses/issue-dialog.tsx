/** Issues licenses: product and variant fill the form; one address or a pasted list of them; 1 to 500 at once. */
import { useEffect, useMemo, useState } from 'react';
import { useBulk } from '../actions/bulk.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import type { LicenseType, MailLanguage, RequestOf } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/count-words.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Checkbox, FieldRow, Fields, NumberField, SelectField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useNow } from '../parts/now.ts';
import { type Expiry, expiryOf } from './expiry.ts';
import { ExpiryFields } from './expiry-fields.tsx';
import { issueRequests, MAX_AT_ONCE } from './issue-requests.ts';
import { IssueResults } from './issue-results.tsx';
import { LanguageField } from './mail-language.tsx';
import { addressesIn, licenseTypes, typeText } from './words.ts';

export interface IssueDialogProps {
  readonly onClose: () => void;
  /** The product that filters the list. */
  readonly productId: string;
}

const FOREVER: Expiry = { kind: 'never', days: '365', day: '' };

/** Mount it only while it is open. */
export function IssueDialog({ onClose, productId: listed }: IssueDialogProps) {
  const [picked, setPicked] = useState(listed === '' ? null : listed);
  const [variant, setVariant] = useState('');
  const [emails, setEmails] = useState('');
  const [each, setEach] = useState('1');
  const [licenseType, setType] = useState<LicenseType | ''>('');
  const [machines, setMachines] = useState('');
  const [seats, setSeats] = useState('');
  const [expiry, setExpiry] = useState(FOREVER);
  const [purchaseId, setPurchaseId] = useState('');
  const mayMail = useCan('/mailLicense');
  const [isMailed, setMailed] = useState(false);
  const [language, setLanguage] = useState<MailLanguage>('en');
  // Fixed while the dialog is open: a different time would issue another license.
  const [openedAt] = useState(useNow());

  const { productId, products, variants, isEmpty } = useCatalogue(picked);
  const chosen = variants.find(({ name }) => name === variant);
  const choose = (name: string) => {
    setVariant(name);
    const days = variants.find((one) => one.name === name)?.durationDays ?? null;
    setType('');
    setMachines('');
    setSeats('');
    setExpiry(days === null ? FOREVER : { kind: 'days', days: String(days), day: '' });
  };
  // A single variant is chosen as soon as it is known; the person may choose none afterwards.
  const only = variants.length === 1 ? variants[0]?.name : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another product or variant triggers it
  useEffect(() => {
    if (only !== undefined) choose(only);
  }, [productId, only]);

  const addresses = addressesIn(emails);
  const requests = useMemo(
    () =>
      issueRequests({
        productId,
        variant,
        addresses: addressesIn(emails),
        each,
        licenseType,
        machines,
        seats,
        expiresAt: expiryOf(expiry, openedAt),
        purchaseId: purchaseId.trim(),
      }),
    [productId, variant, emails, each, licenseType, machines, seats, expiry, purchaseId, openedAt],
  );
  const bulk = useBulk('/createLicense', requests.all ?? new Map<string, RequestOf<'/createLicense'>>());
  const count = requests.all?.size ?? 0;
  const hasBegun = bulk.states.size > 0;
  const [first] = requests.all?.values() ?? [];
  return (
    <Dialog open onClose={onClose} title="Issue licenses" wide stays>
      {hasBegun && !(bulk.isRunning && count === 1) ? (
        <IssueResults
          bulk={bulk}
          requests={requests.all ?? new Map()}
          mailed={isMailed ? language : null}
          onClose={onClose}
        />
      ) : (
        <Form
          onSubmit={() => {
            if (count > 0 && !bulk.isRunning) void bulk.run();
          }}
        >
          <Fields>
            <FieldRow>
              {isEmpty ? (
                <TextField label="Product" hint="Its identifier." value={picked ?? ''} onChange={setPicked} />
              ) : (
                <SelectField
                  label="Product"
                  value={productId}
                  onChange={(id) => {
                    setPicked(id);
                    setVariant('');
                  }}
                  options={[
                    { value: '', title: 'Choose a product' },
                    ...(products.some((product) => product.productId === productId) || productId === ''
                      ? []
                      : [{ value: productId, title: productId }]),
                    ...products.map((product) => ({ value: product.productId, title: product.name })),
                  ]}
                />
              )}
              {variants.length > 0 && (
                <SelectField
                  label="Variant"
                  value={variant}
                  onChange={choose}
                  options={[
                    { value: '', title: 'None in particular' },
                    ...variants.map(({ name }) => ({ value: name, title: name })),
                  ]}
                />
              )}
            </FieldRow>
            <TextField
              label="E-mail addresses"
              hint={
                addresses.length > 1
                  ? `${addresses.length} addresses, one license each unless you say more.`
                  : 'One, or a pasted list of them.'
              }
              wrong={requests.wrong.addresses}
              rows={addresses.length > 1 ? 5 : 2}
              value={emails}
              onChange={setEmails}
            />
            <FieldRow>
              <NumberField
                label="Licenses each"
                min={1}
                max={MAX_AT_ONCE}
                value={each}
                onChange={setEach}
                wrong={requests.wrong.each}
              />
              <SelectField
                label="Type"
                value={licenseType}
                onChange={(type) => setType(type as LicenseType | '')}
                options={[
                  {
                    value: '',
                    title: chosen === undefined ? 'Per machine' : `As the variant: ${typeText(chosen.licenseType)}`,
                  },
                  ...licenseTypes.map((type) => ({ value: type, title: typeText(type) })),
                ]}
              />
              <NumberField
                label="Machines"
                min={1}
                value={machines}
                onChange={setMachines}
                hint={
                  machines === '' ? (chosen === undefined ? '2 unless you say otherwise' : 'As the variant') : undefined
                }
                wrong={requests.wrong.machines}
              />
              {(licenseType === 'floating' || (licenseType === '' && chosen?.licenseType === 'floating')) && (
                <NumberField
                  label="Seats at once"
                  min={1}
                  value={seats}
                  onChange={setSeats}
                  wrong={requests.wrong.seats}
                />
              )}
            </FieldRow>
            <ExpiryFields expiry={expiry} onChange={setExpiry} />
            <TextField
              label="Purchase"
              hint="The number of the order, where there is one."
              value={purchaseId}
              onChange={setPurchaseId}
            />
            {mayMail && (
              <Checkbox
                label="E-mail each key to its customer"
                hint="An address gets three e-mails a day at most."
                checked={isMailed}
                onChange={setMailed}
              />
            )}
            {mayMail && isMailed && <LanguageField language={language} onChange={setLanguage} />}
          </Fields>
          <DialogActions>
            {first === undefined ? <span /> : <CopyAsCurl path="/createLicense" request={first} />}
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" disabled={count === 0} pending={bulk.isRunning}>
              {count === 0 ? 'Issue' : `Issue ${counted(count, 'license')}`}
            </Button>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}

/** @param picked the product that the person named; null before that, when a single one is taken */
function useCatalogue(picked: string | null) {
  const products = useRead('/listProducts', { status: 'live,unlisted' });
  const [first, ...others] = products.data?.products ?? [];
  const productId = picked?.trim() ?? (others.length === 0 ? first?.productId : undefined) ?? '';
  const isKnown = products.data?.products.some((product) => product.productId === productId) ?? false;
  const variants = useRead('/listVariants', { productId }, { enabled: isKnown });
  return {
    productId,
    products: products.data?.products ?? [],
    variants: isKnown ? (variants.data?.variants ?? []) : [],
    // False while the products load: replacing the field by another kind would lose the typed text.
    isEmpty: products.data?.products.length === 0 || products.isError,
  };
}
