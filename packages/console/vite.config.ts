/**
 * How the console is built: everything in files of its own, so that the service can forbid inline scripts and styles.
 * `LATCHKEY_URL` names the running service that `npm run dev` forwards calls to.
 */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundledPackages } from './scripts/bundled-packages.ts';
import { oneReact } from './scripts/one-react.ts';

const SERVICE = process.env.LATCHKEY_URL ?? 'https://localhost:8443';

/**
 * The content of the first script: packages, the shell, and the parts that several of the first screens share. A list
 * then shows after two scripts and one style sheet, regardless of the number of source files.
 */
const FIRST =
  /node_modules[\\/](?!d3-|topojson|world-)|latchkey-react|src[\\/](?:(?:parts(?![\\/](?:csv-text|download|save-csv|span-words|tabs|use-cursors))|api(?![\\/](?:certificate|curl|sign-in-words))|actions(?![\\/](?:creator-field|curl-command|no-item|read-all|shown-once|machine-|undo))|sentences(?![\\/](?:destinations|refusals)))[\\/]|charts[\\/]|licenses[\\/](?:first-reads|mail-language|words|reasons|expiry|licenses\.module)|(?:main|screens)\.)/;

/** The parts that the page of a license shares with later screens: one script compresses better than eight. */
const SHARED =
  /src[\\/](?:actions[\\/](?:no-item|undo(?:-toast)?|machine-[a-z]+)|parts[\\/](?:download|span-words|tabs(?:\.module)?)|sentences[\\/]refusals)\.(?:tsx?|css)$/;

export default defineConfig({
  base: './',
  plugins: [oneReact(), react(), bundledPackages()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'index', test: FIRST },
            { name: 'shared', test: SHARED },
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
      '^/sign-in/': { target: SERVICE, secure: false, changeOrigin: true },
    },
  },
});
