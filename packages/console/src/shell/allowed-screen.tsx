/** Shows a screen to permitted sessions only. Others, who came by its address, get a notice before any call is sent. */
import { late } from '../api/late.tsx';
import { afterFirstOfAll } from '../api/order.ts';
import { useCan } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/skeleton.tsx';
import type { ScreenEntry } from '../screens.ts';

/** Loaded with the first screen, to be there when the file of another one cannot be loaded. */
const NotLoaded = late(async () => {
  await afterFirstOfAll();
  return (await import('./not-loaded.tsx')).NotLoaded;
});
void NotLoaded.preload();

/** The component of a screen, for sessions that may call the endpoint it needs. Its file is loaded on demand. */
export function allowedScreen({ title, needs, load }: ScreenEntry) {
  const Screen = late(async () => (await load()).Screen, {
    loading: (
      <Page title={title}>
        <Loading what="the screen" />
      </Page>
    ),
    failed: (retry) => <NotLoaded title={title} retry={retry} />,
  });
  const Allowed = () => (useCan(needs) ? <Screen /> : <NotAllowed title={title} />);
  // The router uses this to load the file before it shows the screen.
  Allowed.preload = Screen.preload;
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
