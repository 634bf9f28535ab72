/** Starts the console. */
// First, so that the session is on its way while the rest of the script is evaluated.
import { reads } from './shell/send-ahead.ts';
import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { applyAppearance } from './shell/appearance.ts';
import { Entrance } from './shell/entrance.tsx';

applyAppearance();

createRoot(document.getElementById('console')!).render(
  <QueryClientProvider client={reads}>
    <Entrance />
  </QueryClientProvider>,
);
