/** The frame around every screen: header, navigation, search, toasts. */
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { reloadIfThere } from '../api/connection.ts';
import { late } from '../api/late.tsx';
import { afterFirstOfAll, afterFirstSight } from '../api/order.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { listenToShortcuts, useShortcuts } from '../parts/shortcuts.ts';
import { Loading } from '../parts/skeleton.tsx';
import { Toasts } from '../parts/toast.tsx';
import { screens } from '../screens.ts';
import { useEarlyText } from './early-keys.ts';
import { Header } from './header.tsx';
import { loadAhead } from './load-ahead.ts';
import { Navigation } from './navigation.tsx';
import styles from './shell.module.css';
import { SignInAgain } from './sign-in-again.tsx';

const Palette = late(async () => (await import('./palette.tsx')).Palette);
const ShortcutHelp = late(async () => (await import('./shortcut-help.tsx')).ShortcutHelp);
// Both after the main content of the first screen, because they are not part of it. The first one goes before all other
// files: once the service is away, it could not be loaded.
const ConnectionBanner = late(async () => {
  await afterFirstSight();
  return (await import('./connection-banner.tsx')).ConnectionBanner;
});
const DestinationBanner = late(async () => {
  await afterFirstOfAll();
  return (await import('./destination-banner.tsx')).DestinationBanner;
});

export function Shell() {
  const { pathname } = useLocation();
  const client = useQueryClient();
  const main = useRef<HTMLElement>(null);
  const [isSearching, setSearching] = useState(false);
  // The closed dialog stays in the page, to fade.
  const [helping, setHelping] = useState<'never' | 'open' | 'closed'>('never');
  const [isNavigating, setNavigating] = useState(false);
  const early = useEarlyText(isSearching);
  const { can } = useSession();
  const seesChanges = useCan('/listEvents');
  const hasDestinations = useCan('/resumeDestination');
  useEffect(listenToShortcuts, []);
  // Preloads the search so that it opens at once, but after the main content of the screen.
  useEffect(() => void afterFirstOfAll().then(Palette.preload).then(ShortcutHelp.preload), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first address only
  useEffect(
    () =>
      void loadAhead(
        screens.filter(({ needs }) => can.includes(needs)),
        pathname,
      ),
    [can],
  );
  useSearchKeys(() => setSearching(true));
  useScreenKeys(
    () => setSearching(true),
    () => setHelping('open'),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another screen is shown
  useEffect(() => setNavigating(false), [pathname]);
  return (
    <div className={styles.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: a link within the page; its address would be taken for a screen */}
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Header
        onSearch={() => setSearching(true)}
        onNavigate={() => setNavigating(true)}
        onHelp={() => setHelping('open')}
      />
      <Navigation className={styles.side} />
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        <ConnectionBanner />
        {hasDestinations && <DestinationBanner />}
        <Suspense
          key={pathname}
          fallback={
            <Page title="…">
              <Loading what="the screen" />
            </Page>
          }
        >
          <Outlet />
        </Suspense>
      </main>
      <Dialog open={isNavigating} onClose={() => setNavigating(false)} title="Latchkey">
        <Navigation className={styles.drawer} />
      </Dialog>
      {isSearching && <Palette early={early} onClose={() => setSearching(false)} />}
      {helping !== 'never' && <ShortcutHelp open={helping === 'open'} onClose={() => setHelping('closed')} />}
      <SignInAgain onSignedIn={() => void client.invalidateQueries()} />
      <Toasts hrefOfRequest={seesChanges ? hrefOfRequest : undefined} />
    </div>
  );
}

/** The page with the changes of a request. */
const hrefOfRequest = (requestId: string) => `#/activity?request=${encodeURIComponent(requestId)}`;

/** Ctrl K and Cmd K open the search from anywhere, including fields. */
function useSearchKeys(search: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      search();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
}

/** `/` opens the search, `?` the help, `g` and a letter a screen. */
function useScreenKeys(search: () => void, help: () => void): void {
  const { can } = useSession();
  useShortcuts([
    { keys: '/', does: 'Search', run: search },
    { keys: '?', does: 'List the shortcuts', run: help },
    ...screens
      .filter(({ go, needs }) => go !== undefined && can.includes(needs))
      .map(({ go, title, path }) => ({
        keys: `g ${go}`,
        does: `Go to ${title}`,
        run: () => location.assign(`#${path}`),
      })),
  ]);
}

/** The address of a sign-in link, once it has signed in: the first permitted screen. */
export function Home() {
  const { can } = useSession();
  const navigate = useNavigate();
  const first = screens.find(({ navigation, needs }) => navigation !== undefined && can.includes(needs));
  useEffect(() => {
    if (first !== undefined) void navigate({ to: first.path, replace: true });
  }, [first, navigate]);
  return null;
}

/** An address without a screen. */
export function UnknownScreen() {
  return (
    <Page title="Not found">
      <Empty title="There is no such screen." actions={<LinkButton href="#/">Go to the start</LinkButton>}>
        The link may be older than this version of the console.
      </Empty>
    </Page>
  );
}

/** A screen that failed by a bug in the console. */
export function FailedScreen({ error }: { readonly error: Error }) {
  return (
    <Page title="This screen failed">
      <Empty
        title="This screen failed."
        actions={
          <Button look="primary" onClick={() => void reloadIfThere()}>
            Reload
          </Button>
        }
      >
        Nothing was changed by it. {error.message}
      </Empty>
    </Page>
  );
}
