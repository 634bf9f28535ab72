import { elapsedMs, systemClock } from '../../ground/base/clock.ts';
import { ConfigError } from '../../runtime/config/config.ts';
import { findSecretsKey } from '../../runtime/config/secrets.ts';
import { checkStart } from '../../runtime/service/start-check.ts';
import type { Looked } from '../../storage/sqlite/sqlite-damage.ts';
import type { Command } from './command.ts';
import { checkDatabase } from './database-check.ts';
import { checkIdentityProvider } from './identity-provider.ts';
import { checkMailServer } from './mail-server.ts';
import { describeRehearsal } from './migration-rehearsal.ts';
import { checkNameServers } from './name-servers.ts';
import { Progress } from './progress.ts';

export const check: Command = {
  name: 'check',
  summary:
    'check configuration, secrets, certificate, database, clock, name servers, mail server and identity provider; changes nothing',
  example: 'check',
  // The variables were read before the command started.
  async run({ config, print, warn }) {
    const now = systemClock();
    const facts: string[] = [];
    const errors = new Set<string>();
    const look = async (
      found: Promise<{ readonly facts?: readonly string[]; readonly warnings: readonly string[] }>,
    ) => {
      try {
        const { facts: known = [], warnings } = await found;
        facts.push(...known);
        for (const warning of warnings) warn(`Warning: ${warning}`);
      } catch (error) {
        const reasons =
          error instanceof ConfigError ? error.errors : [error instanceof Error ? error.message : String(error)];
        for (const reason of reasons) errors.add(reason);
      }
    };
    await look(checkStart(config, now));
    let progress: Progress | undefined;
    const looked = ({ table, tables }: Looked) => {
      if (progress === undefined)
        progress = new Progress(process.stderr, elapsedMs, { name: 'reading', total: tables, unit: 'tables' });
      else progress.add(1, table);
    };
    const rehearsed = (names: readonly string[]) => describeRehearsal(config.dataDirectory, names);
    const secretsKey = findSecretsKey(config);
    await look(checkDatabase(config.database, now, looked, rehearsed, secretsKey).finally(() => progress?.clear()));
    if (config.deliveries.isOn) await look(checkNameServers(config.deliveries.nameServers ?? []));
    await look(checkMailServer(config));
    await look(checkIdentityProvider(config));
    if (errors.size > 0) throw new ConfigError([...errors]);
    for (const fact of facts) print(fact);
    print('The service can start.');
  },
};
