import { serveUntilSignal } from '../serve.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'run the service until SIGTERM or SIGINT, as npm start does; makes the database where there is none',
  positionals: [],
  options: {
    port: { meaning: 'where to listen, in place of PORT (8443)', value: 'PORT', sets: 'PORT' },
    host: { meaning: 'the address to listen on, in place of HOST (localhost)', value: 'HOST', sets: 'HOST' },
    data: {
      meaning: 'where its files are, in place of LATCHKEY_DATA_DIR (./data)',
      value: 'FOLDER',
      sets: 'LATCHKEY_DATA_DIR',
    },
  },
  example: 'serve --port 9443 --data /var/lib/latchkey',
  more: [
    'Environment variables configure the rest. Those that most installations set:',
    '',
    '  DATABASE_URL               postgres://...; without it SQLite is used, in the data folder',
    '  LATCHKEY_ADMIN_SECRET      without it one is made and kept in the data folder',
    '  LATCHKEY_WEBHOOK_SECRET    the same, for the storefront',
    '  LATCHKEY_TLS_CERT_FILE     with LATCHKEY_TLS_KEY_FILE; without them a self-signed certificate is made',
    '  LATCHKEY_TRUST_PROXY       the addresses of proxies in front, which then speak HTTPS for it',
    '  LATCHKEY_METRICS_PORT      where Prometheus may scrape',
    '',
    'docs/configuration.md has all of them, and check says what is wrong with them.',
  ],
  run: ({ config }) => serveUntilSignal(config),
};
