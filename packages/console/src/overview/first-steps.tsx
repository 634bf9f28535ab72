import { curlLine } from '../api/curl.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { CodeLine } from '../parts/curl.tsx';
import { Page } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import styles from './overview.module.css';

const PRODUCT = { name: 'My app', slug: 'my-app', creatorId: 'me' };

/** The first steps, shown while there is no license. */
export function FirstSteps() {
  const { kind } = useSession();
  const canCreate = useCan('/createProduct');
  const canIssue = useCan('/createLicense');
  const { data } = useRead('/listProducts', { includeAll: true, limit: 1 });
  const hasProduct = (data?.products.length ?? 0) > 0;
  return (
    <Page title="Welcome to Latchkey">
      <p className={styles.lead}>
        {kind === 'operator' ? 'Your service runs. ' : ''}There is no license yet; this page shows figures once there is
        one.
      </p>
      <ol className={styles.steps}>
        <li data-done={hasProduct}>
          <h2>Add what you sell</h2>
          <p className={styles.step}>
            A product, and its variants: how many machines they allow, for how long, at what price.
          </p>
          {hasProduct ? (
            <Status tone="good">Done</Status>
          ) : (
            canCreate && (
              <LinkButton href="#/products" look="primary">
                Add a product
              </LinkButton>
            )
          )}
        </li>
        <li>
          <h2>Issue a first license</h2>
          <p className={styles.step}>
            For yourself, to try it. Later your shop does that by its webhook whenever somebody buys.
          </p>
          {canIssue && (
            <LinkButton href="#/licenses" look={hasProduct ? 'primary' : 'plain'}>
              Issue a license
            </LinkButton>
          )}
        </li>
        <li>
          <h2>Let your app ask</h2>
          <p className={styles.step}>
            It activates with the key on its first start and checks it on each further one: two calls.
          </p>
          <LinkButton href="/docs#/activate">Read how</LinkButton>
        </li>
      </ol>
      <section className={styles.shell}>
        <h2>Or from a shell</h2>
        <CodeLine label="Create a product with curl" line={curlLine(location.origin, '/createProduct', PRODUCT)} />
      </section>
    </Page>
  );
}
