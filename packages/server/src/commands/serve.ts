import { serveUntilSignal } from '../serve.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'run the service until SIGTERM or SIGINT, as npm start does; makes the database where there is none',
  positionals: [],
  options: {},
  example: 'serve',
  run: ({ config }) => serveUntilSignal(config),
};
