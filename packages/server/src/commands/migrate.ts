import { bringUpToDate, type Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the tables up to date',
  words: [],
  options: {},
  async run({ config, print }) {
    const applied = await bringUpToDate(config);
    print(applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.join(', ')}.`);
  },
};
