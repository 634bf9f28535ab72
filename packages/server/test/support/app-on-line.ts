import { startApp } from './app.ts';
import { BrokenLine } from './broken-line.ts';
import { freshDatabase } from './databases.ts';

/**
 * Starts a service that reaches a fresh PostgreSQL database through a line, and gives both with a function that ends
 * them.
 *
 * @param parameters added to the URL of the database, such as `?query_timeout=1`
 */
export async function startAppOnLine(bounds: Parameters<typeof startApp>[3], parameters = '') {
  const shared = await freshDatabase('postgres');
  const line = await BrokenLine.to((shared.database as { url: string }).url);
  const environment = { DATABASE_URL: `${line.url}${parameters}`, LATCHKEY_LOG_LEVEL: 'fatal' };
  const app = await startApp('postgres', environment, shared, bounds);
  async function stop(): Promise<void> {
    line.mend();
    await app.stop();
    await line.close();
    await shared.remove();
  }
  return { app, line, stop };
}
