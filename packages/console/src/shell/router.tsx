/**
 * The addresses of the console are behind the #, because license keys are credentials and browsers never send that
 * part.
 */
import { createHashHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { screens } from '../screens.ts';
import { allowedScreen } from './allowed-screen.tsx';
import { FailedScreen, Home, Shell, UnknownScreen } from './shell.tsx';

export function createConsoleRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: UnknownScreen });
  const routes = screens.map((entry) =>
    createRoute({
      getParentRoute: () => root,
      path: entry.path,
      component: allowedScreen(entry),
    }),
  );
  const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: Home });
  return createRouter({
    routeTree: root.addChildren([...routes, signIn]),
    history: createHashHistory(),
    defaultErrorComponent: FailedScreen as never,
    defaultPreload: false,
    // Values in the address are plain text, as people write them.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (values) => {
      const text = new URLSearchParams(values as Record<string, string>).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
}
