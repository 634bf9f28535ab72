import { systemClock } from '../clock.ts';
import { checkStart } from '../start-check.ts';
import type { Command } from './command.ts';

export const checkConfig: Command = {
  name: 'check-config',
  summary: 'say whether npm start would refuse the configuration and the files it names; makes and connects to nothing',
  positionals: [],
  options: {},
  // The variables were read before the command was run.
  async run({ config, print, warn }) {
    for (const warning of await checkStart(config, systemClock())) warn(`Warning: ${warning}`);
    print('The configuration is sound.');
  },
};
