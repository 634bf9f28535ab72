/** Shows a screen to permitted sessions only. Others, who came by its address, get a notice before any call is sent. */
import type { lazyRouteComponent } from '@tanstack/react-router';
import { useCan } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import type { ScreenEntry } from '../screens.ts';

/** A screen that loads when it is first shown. */
type LazyScreen = ReturnType<typeof lazyRouteComponent>;

/** The same screen for sessions that may call the endpoint it needs. */
export function allowedScreen({ title, needs }: ScreenEntry, Screen: LazyScreen): LazyScreen {
  const Allowed: LazyScreen = () => (useCan(needs) ? <Screen /> : <NotAllowed title={title} />);
  // The router uses this to load the file before it shows the screen.
  if (Screen.preload !== undefined) Allowed.preload = Screen.preload;
  return Allowed;
}

function NotAllowed({ title }: { readonly title: string }) {
  return (
    <Page title={title}>
      <Empty title="You may not see this" actions={<LinkButton href="#/">To the first screen</LinkButton>}>
        Your sign-in gives no access to it. Ask an owner, or sign in with another key.
      </Empty>
    </Page>
  );
}
