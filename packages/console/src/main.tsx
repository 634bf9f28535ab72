/** Starts the console. */
import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createReads } from './api/reads.ts';
import { applyAppearance } from './shell/appearance.ts';
import { Entrance } from './shell/entrance.tsx';

applyAppearance();

createRoot(document.getElementById('console')!).render(
  <QueryClientProvider client={createReads()}>
    <Entrance />
  </QueryClientProvider>,
);
