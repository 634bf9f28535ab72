/** The first steps of a new installation, until an app has checked its license. */
import { useEffect, useState } from 'react';
import { isThisMachine, SAVED_CERTIFICATE, useCertificate } from '../api/certificate.ts';
import { serviceAddress } from '../api/connection.ts';
import type { Connector, Event, LicenseSummary, Product, Variant } from '../api/contract.ts';
import { FIRST_LICENSES } from '../api/first-licenses.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { useSetup } from '../api/setup.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { Key, Mono } from '../parts/copy.tsx';
import { CodeLine } from '../parts/curl.tsx';
import { download } from '../parts/download.ts';
import { Page } from '../parts/page.tsx';
import { daysText } from '../parts/span-words.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import unseen from '../parts/unseen.module.css';
import { NewProductDialog } from '../products/product-dialogs.tsx';
import { NewVariantDialog } from '../products/variant-dialogs.tsx';
import { FOR_EVER, limitText } from '../products/words.ts';
import { BeforeCustomers } from './before-customers.tsx';
import { clientLines, curlCheck, secondsAgo } from './first-check.ts';
import { FirstLicenseDialog } from './license-dialog.tsx';
import styles from './start.module.css';
import { Step } from './step.tsx';

/** The things that a dialog of this screen adds. */
type Added = 'product' | 'variant' | 'license';

export function Screen() {
  const [opened, setOpened] = useState<Added | null>(null);
  const close = () => setOpened(null);
  const licenses = useRead('/listLicenses', FIRST_LICENSES);
  const license = licenses.data?.licenses[0];
  const products = useRead('/listProducts', { status: 'live,unlisted', limit: 10 });
  const product = products.data?.products.find(({ productId }) => productId === license?.productId);
  const first = product ?? products.data?.products[0];
  const listed = useRead(
    '/listVariants',
    { productId: first?.productId ?? '', limit: 100 },
    { enabled: first !== undefined },
  );
  const variants = first === undefined ? [] : (listed.data?.variants ?? []);
  const mayConnect = useCan('/createConnector');
  const shops = useRead('/listConnectors', {}, { enabled: mayConnect, later: true });
  const shop = shops.data?.connectors[0];
  const setup = useSetup();
  const check = useFirstCheck(license !== undefined, licenses.refetch);
  const may = {
    product: useCan('/createProduct'),
    variant: useCan('/createVariant'),
    license: useCan('/createLicense'),
  };
  /** The button for a step that the person may take now. */
  const opening = (added: Added, text: string, isNext: boolean) => (
    <Button look={isNext ? 'primary' : 'plain'} onClick={() => setOpened(added)}>
      {text}
    </Button>
  );
  return (
    <Page
      title="First steps"
      actions={
        <LinkButton href={check === undefined ? '#/?steps=off' : '#/'} look={check === undefined ? 'quiet' : 'primary'}>
          {check === undefined ? 'Skip to the overview' : 'Open the overview'}
        </LinkButton>
      }
    >
      <p className={styles.quiet}>
        {check === undefined
          ? 'From here to an app that checks its license. This list stays until the first check comes in.'
          : 'Your app checks its license. The steps below make the service ready for customers.'}
      </p>
      <ol className={styles.steps}>
        <Step
          number={1}
          title="Add your product"
          about="What you sell: an app, a plug-in, a course."
          done={first && <ProductFact product={first} />}
          action={may.product && opening('product', 'Add a product', true)}
        />
        <Step
          number={2}
          title="Add a variant"
          about="How many machines a license allows, for how long, at what price. Without one, a license is for two machines and lasts for ever."
          done={variants[0] && <VariantFact variant={variants[0]} more={variants.length - 1} />}
          action={
            may.variant && listed.data !== undefined && opening('variant', 'Add a variant', license === undefined)
          }
        />
        <Step
          number={3}
          title="Issue a license to yourself"
          about="Later your shop does this by its webhook whenever somebody buys."
          done={license && <LicenseFact license={license} />}
          action={may.license && first !== undefined && opening('license', 'Issue a license', variants.length > 0)}
        />
        <Step
          number={4}
          title="Let your app ask"
          about="It activates with the key on its first start, and checks the license from then on."
          done={check && <CheckFact check={check} />}
          action={license && <Lines license={license} isWaiting={check === undefined} />}
          keepsAction
        />
        {mayConnect && (
          <Step
            number={5}
            title="Connect your shop"
            about="Paste one address into Stripe, Paddle, Lemon Squeezy or another seller: every sale becomes a license, and the buyer gets the key."
            done={shop && <ShopFact shop={shop} />}
            action={
              first !== undefined && (
                <LinkButton href="#/shops?new=one" look={check === undefined ? 'plain' : 'primary'}>
                  Connect your shop
                </LinkButton>
              )
            }
          />
        )}
      </ol>
      {check !== undefined && setup !== undefined && <BeforeCustomers setup={setup} from={mayConnect ? 6 : 5} />}
      {opened === 'product' && <NewProductDialog onClose={close} onCreated={() => {}} />}
      {opened === 'variant' && first !== undefined && (
        <NewVariantDialog product={first} variants={variants} onClose={close} />
      )}
      {opened === 'license' && first !== undefined && (
        <FirstLicenseDialog product={first} variants={variants} onClose={close} />
      )}
    </Page>
  );
}

/** Seconds between two questions whether a check came in. */
const ASKED_EVERY = 2;

/** The newest activation; undefined before the first one. Calls `renew` when it arrives. */
function useFirstCheck(hasLicense: boolean, renew: () => unknown): Event | undefined {
  const [isThere, setThere] = useState(false);
  const read = useRead(
    '/listEvents',
    { types: ['activation.created'], limit: 1 },
    { enabled: hasLicense, ...(isThere ? {} : { everySeconds: ASKED_EVERY }) },
  );
  const check = read.data?.events[0];
  const isNew = check !== undefined && !isThere;
  useEffect(() => {
    if (!isNew) return;
    setThere(true);
    renew();
  }, [isNew, renew]);
  return check;
}

function ProductFact({ product }: { readonly product: Product }) {
  return (
    <>
      <Status tone="good">Done</Status>
      <a href={`#/products/${encodeURIComponent(product.productId)}`}>{product.name}</a>
      <Mono>{product.productId}</Mono>
    </>
  );
}

function VariantFact({ variant, more }: { readonly variant: Variant; readonly more: number }) {
  return (
    <>
      <Status tone="good">Done</Status>
      <span>
        {variant.name}: {limitText(variant)}, {daysText(variant.durationDays, FOR_EVER).toLowerCase()}
        {more > 0 && `, and ${more} more`}
      </span>
    </>
  );
}

function LicenseFact({ license }: { readonly license: LicenseSummary }) {
  return (
    <>
      <Status tone="good">Done</Status> <Key value={license.key} whole copy />
      <a href={`#/licenses/${encodeURIComponent(license.key)}`}>{license.email}</a>
    </>
  );
}

function ShopFact({ shop }: { readonly shop: Connector }) {
  return (
    <>
      <Status tone="good">Done</Status>
      <a href={`#/shops/${encodeURIComponent(shop.connectorId)}`}>{shop.name}</a>
    </>
  );
}

function CheckFact({ check }: { readonly check: Event }) {
  const ago = secondsAgo(check.at, useEverySecond());
  const name = check.after?.hostname;
  const from = typeof name === 'string' && name !== '' ? `, from ${name}` : '';
  return (
    <>
      <Status tone="good">Done</Status>
      <strong>
        First check {ago ?? <Time at={check.at} />}
        {from}
      </strong>
      {/* The line above changes each second, which a screen reader would read each time. */}
      <span role="status" className={unseen.unseen}>
        The first check came in{from}.
      </span>
    </>
  );
}

/** The present time in milliseconds since 1970, each second. */
function useEverySecond(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Lines({ license, isWaiting }: { readonly license: LicenseSummary; readonly isWaiting: boolean }) {
  const { trust, file, isPending } = useCertificate();
  // Without the certificate the lines would fail on a new installation.
  if (isPending) return null;
  const about = {
    origin: serviceAddress(),
    productId: license.productId,
    licenseKey: license.key,
    certificateFile: file,
  };
  return (
    <div className={styles.lines}>
      {isWaiting && <Status tone="quiet">Waiting for the first check…</Status>}
      {trust !== null && !isThisMachine(location.hostname) && (
        <p className={styles.quiet}>
          The service signed its certificate itself. Save it in the folder in which you run these lines.{' '}
          <Button small onClick={() => download(SAVED_CERTIFICATE, trust.pem, 'application/x-pem-file')}>
            Download the certificate
          </Button>
        </p>
      )}
      <h3>In JavaScript</h3>
      <p className={styles.quiet}>
        Save the lines as <Mono>first.mjs</Mono> in a project with the package <Mono>@latchkey/client</Mono>, which{' '}
        <Mono>npm pack --workspace packages/client</Mono> makes in the folder of Latchkey, and run{' '}
        <Mono>node first.mjs</Mono>. <a href="../docs#/activate">Other languages</a> send the same call.
      </p>
      <CodeLine label="the lines of JavaScript" line={clientLines(about)} />
      <h3>Or in a shell</h3>
      <CodeLine label="the call with curl" line={curlCheck(about)} />
    </div>
  );
}
