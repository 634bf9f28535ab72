/**
 * How the console is built: everything in files of its own, so that the service can forbid inline scripts and styles.
 * `LATCHKEY_URL` names the running service that `npm run dev` forwards calls to.
 */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundledPackages } from './scripts/bundled-packages.ts';

const SERVICE = process.env.LATCHKEY_URL ?? 'https://localhost:8443';

export default defineConfig({
  base: './',
  plugins: [react(), bundledPackages()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What every screen shows is one file, not one for each set of screens that share a part: fewer requests.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'common', test: /node_modules[\\/](?!d3-|topojson|world-)|src[\\/](?:parts|api|actions)[\\/]/ },
          ],
        },
      },
    },
  },
  server: {
    // The service takes calls of its own page only, so the page of the development server must look like it.
    proxy: {
      '^/[A-Za-z]+$': {
        target: SERVICE,
        secure: false,
        changeOrigin: true,
        headers: { origin: SERVICE },
        bypass: (request) => (request.method === 'POST' ? undefined : request.url),
      },
    },
  },
});
