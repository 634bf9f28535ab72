import { serveUntilSignal } from '../../runtime/service/serve.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'run the service until SIGTERM or SIGINT, like npm start; creates a missing database',
  options: {
    port: { meaning: 'the port to listen on, instead of PORT (8443)', value: 'PORT', sets: 'PORT' },
    host: { meaning: 'the address to listen on, instead of HOST (localhost)', value: 'HOST', sets: 'HOST' },
    data: {
      meaning: 'the folder of its files, instead of LATCHKEY_DATA_DIR (./data)',
      value: 'FOLDER',
      sets: 'LATCHKEY_DATA_DIR',
    },
  },
  example: 'serve --port 9443 --data /var/lib/latchkey',
  more: [
    'Environment variables configure the rest. The most common ones:',
    '',
    '  DATABASE_URL               postgres://...; the default is SQLite in the data folder',
    '  LATCHKEY_ADMIN_SECRET      by default one is generated and stored in the data folder',
    '  LATCHKEY_WEBHOOK_SECRET    the same, for the storefront',
    '  LATCHKEY_TLS_CERT_FILE     with LATCHKEY_TLS_KEY_FILE; the default is a self-signed certificate',
    '  LATCHKEY_TRUST_PROXY       the addresses of the proxies in front, which then terminate HTTPS',
    '  LATCHKEY_METRICS_PORT      the port that Prometheus scrapes',
    '',
    'docs/operators/configuration.md lists all variables, and the command check reports errors in them.',
  ],
  run: ({ config }) => serveUntilSignal(config),
};
