/** The frame around every screen: header, navigation, search, toasts. */

import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { afterFirstOfAll } from '../api/order.ts';
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
import { Navigation } from './navigation.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import styles from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.tsx';
import { SignInAgain } from './sign-in-again.tsx';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(loadPalette);
// After the main content of the first screen, because it is not part of it.
const DestinationBanner = lazy(async () => {
  await afterFirstOfAll();
  return { default: (await import('./destination-banner.tsx')).DestinationBanner };
});

export function Shell() {
  const { pathname } = useLocation();
  const client = useQueryClient();
  const main = useRef<HTMLElement>(null);
  const [isSearching, setSearching] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const [isNavigating, setNavigating] = useState(false);
  const early = useEarlyText(isSearching);
  const seesChanges = useCan('/listEvents');
  const hasDestinations = useCan('/resumeDestination');
  useEffect(listenToShortcuts, []);
  // Preloads the search so that it opens at once, but after the main content of the screen.
  useEffect(() => void afterFirstOfAll().then(loadPalette), []);
  useSearchKeys(() => setSearching(true));
  useScreenKeys(
    () => setSearching(true),
    () => setHelping(true),
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
        onHelp={() => setHelping(true)}
      />
      <Navigation className={styles.side} />
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        <OfflineBanner />
        <Suspense>{hasDestinations && <DestinationBanner />}</Suspense>
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
      {isSearching && (
        <Suspense fallback={null}>
          <Palette early={early} onClose={() => setSearching(false)} />
        </Suspense>
      )}
      <ShortcutHelp open={isHelping} onClose={() => setHelping(false)} />
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

/** The address `#/` without a screen of its own: the first permitted screen. */
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

/** A screen that failed: a bug in the console, or a file that could not be loaded after an update. */
export function FailedScreen({ error }: { readonly error: Error }) {
  return (
    <Page title="This screen failed">
      <Empty
        title="This screen failed."
        actions={
          <Button look="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        Nothing was changed by it. After an update of the service the page must be loaded anew. {error.message}
      </Empty>
    </Page>
  );
}
