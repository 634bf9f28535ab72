/** The dialogs for a whole product. */
import { useState } from 'react';
import { CreatorField } from '../actions/creator-field.tsx';
import { undoOfProduct } from '../actions/undo-catalogue.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Product, ProductStatus } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { identifierFault, identifierFor } from './identifier.ts';
import { PRODUCT_STATUS_WORDS } from './words.ts';

export interface NewProductDialogProps {
  readonly onClose: () => void;
  /** Called with the identifier of the new product; by default its screen opens. */
  readonly onCreated?: (productId: string) => void;
}

/** The suggested owner of a product, for shops without creators. */
const OWN = 'operator';

/** Adds a product. */
export function NewProductDialog({ onClose, onCreated = openProduct }: NewProductDialogProps) {
  const isOperator = useSession().kind === 'operator';
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [creator, setCreator] = useState(OWN);
  const [status, setStatus] = useState<ProductStatus>('live');
  const identifier = chosen ?? identifierFor(name);
  const fault = identifier === '' ? null : identifierFault(identifier);
  const isWhole = name.trim() !== '' && identifier !== '' && fault === null && (!isOperator || creator.trim() !== '');
  return (
    <WriteDialog
      path="/createProduct"
      title="New product"
      verb="Create product"
      request={
        isWhole
          ? { name: name.trim(), slug: identifier, status, ...(isOperator ? { creatorId: creator.trim() } : {}) }
          : null
      }
      onClose={onClose}
      onDone={({ productId }) => {
        onCreated(productId);
        toast({ title: `The product ${name.trim()} was created.` });
      }}
    >
      <TextField label="Name" value={name} onChange={setName} hint="The name that people see." required />
      <TextField
        label="Identifier"
        value={identifier}
        onChange={setChosen}
        hint="The name that apps and the storefront use. It cannot be changed later."
        wrong={fault ?? undefined}
        mono
        required
      />
      {isOperator && (
        <CreatorField
          label="Creator"
          value={creator}
          onChange={setCreator}
          usual={OWN}
          hint="Who owns it: the creator's API keys reach it and its licenses."
          required
        />
      )}
      <SelectField
        label="Status"
        value={status}
        onChange={(value) => setStatus(value as ProductStatus)}
        options={(['live', 'unlisted'] as const).map((value) => ({ value, title: PRODUCT_STATUS_WORDS[value].title }))}
      />
    </WriteDialog>
  );
}

function openProduct(productId: string): void {
  location.hash = `#/products/${encodeURIComponent(productId)}`;
}

/** Renames a product. */
export function RenameDialog({ of: present, onClose }: DialogOf<Product>) {
  // Keeps the values from the opening: the service refuses the change if they are no longer the stored ones.
  const [product] = useState(present);
  const { productId } = product;
  const undo = useUndoToast();
  const [name, setName] = useState(product.name);
  const isOther = name.trim() !== '' && name.trim() !== product.name;
  return (
    <WriteDialog
      path="/updateProduct"
      title={`Rename ${product.name}`}
      description="Its identifier stays, so apps and licenses notice nothing."
      verb="Rename"
      request={isOther ? { productId, name: name.trim(), wasName: product.name } : null}
      onClose={onClose}
      onDone={() =>
        toast({
          title: `The product ${productId} is called ${name.trim()}.`,
          ...undo(undoOfProduct(product, { name: name.trim() })),
        })
      }
    >
      <TextField label="Name" value={name} onChange={setName} required />
    </WriteDialog>
  );
}

/** Transfers a product, with its licenses, to another creator. */
export function ReassignDialog({ of: present, onClose }: DialogOf<Product>) {
  const [product] = useState(present);
  const undo = useUndoToast();
  const [creator, setCreator] = useState('');
  const isOther = creator.trim() !== '' && creator.trim() !== product.creatorId;
  return (
    <WriteDialog
      path="/updateProduct"
      title={`Give ${product.name} to another creator`}
      description={
        <>
          From then on API keys of {product.creatorId} do not reach the product, its variants and its licenses any more;
          those of the new owner do. Apps notice nothing.
        </>
      }
      verb="Give away"
      danger
      request={
        isOther ? { productId: product.productId, creatorId: creator.trim(), wasCreatorId: product.creatorId } : null
      }
      onClose={onClose}
      onDone={() =>
        toast({
          title: `${product.name} belongs to ${creator.trim()}.`,
          ...undo(undoOfProduct(product, { creatorId: creator.trim() })),
        })
      }
    >
      <CreatorField label="New owner" value={creator} onChange={setCreator} required />
    </WriteDialog>
  );
}

const STATUS_EFFECTS: Readonly<Record<ProductStatus, { readonly effect: string; readonly verb: string }>> = {
  live: { effect: 'It can be sold and changed. Its licenses are not touched.', verb: 'Put on sale' },
  unlisted: {
    effect: 'It is no longer offered. Its licenses keep working, and it can still be changed.',
    verb: 'Unlist',
  },
  archived: {
    effect:
      'It is no longer offered, gives no trials, and neither it nor its variants and codes can be changed until it is put on sale again. Its licenses keep working.',
    verb: 'Archive',
  },
};

/** Puts a product on sale, takes it off, or archives it. */
export function StatusDialog({ of: present, to, onClose }: DialogOf<Product> & { readonly to: ProductStatus }) {
  const [product] = useState(present);
  const undo = useUndoToast();
  const { effect, verb } = STATUS_EFFECTS[to];
  return (
    <WriteDialog
      path="/updateProduct"
      title={`${verb}: ${product.name}`}
      description={effect}
      verb={verb}
      danger={to === 'archived'}
      request={{ productId: product.productId, status: to, wasStatus: product.status }}
      onClose={onClose}
      onDone={() =>
        toast({
          title: `${product.name}: ${PRODUCT_STATUS_WORDS[to].title.toLowerCase()}.`,
          ...undo(undoOfProduct(product, { status: to })),
        })
      }
    />
  );
}
