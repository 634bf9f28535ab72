/** The step that starts a second service on the port of the first. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { latchkey, type Step } from './journey.ts';
import { Lost } from './ledger.ts';

/** A failed start ends within two seconds; a loaded machine may take longer to start Node.js. */
const LONGEST_START_MS = 20_000;

/** A start on a port in use ends with status 1 and names the port; the service on the port goes on. */
export const busyPort: Step = {
  name: 'start a second service on the port of the first',
  async run({ place, installed, service, adminSecret }) {
    const data = join(place, 'second');
    await mkdir(data, { mode: 0o700 });
    const environment = { ...installed.environment, HOST: '127.0.0.1', PORT: String(service.port) };
    const startedAt = performance.now();
    const ended = await latchkey({ installed: { ...installed, environment } }, data, 'serve').then(
      () => null,
      (error: { code: number; stderr: string }) => error,
    );
    if (ended?.code !== 1) throw new Lost(`a start on a port in use ended with status ${ended?.code}`);
    if (performance.now() - startedAt > LONGEST_START_MS) throw new Lost('a start on a port in use did not end');
    const said = ended.stderr.split('\n').find((line) => line.includes(String(service.port)));
    if (said === undefined) throw new Lost(`a start on a port in use does not name it: ${ended.stderr}`);
    const { status } = await service.send('/listLicenses', { adminSecret, limit: 1 });
    if (status !== 200) throw new Lost(`the first service answers ${status}`);
    return said.trim();
  },
};
