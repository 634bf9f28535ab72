/** The class that docs/apps/integrating.md shows, for apps that do not use the client. */
import { readFile } from 'node:fs/promises';

/** A result of the class on the page. */
export interface SampleState {
  readonly status: string;
  readonly mayRun: boolean;
  readonly code?: string;
  readonly retryAfterMs?: number;
  readonly nextHeartbeatMs?: number;
}

/** The class on the page. */
export interface Sample {
  activate(licenseKey: string): Promise<SampleState>;
  validate(): Promise<SampleState>;
  heartbeat(): Promise<SampleState>;
  close(): Promise<void>;
  deactivate(): Promise<boolean>;
}

/** The class of docs/apps/integrating.md. */
export async function sampleOfThePage(): Promise<new (options: object) => Sample> {
  const page = await readFile(new URL('../../../../docs/apps/integrating.md', import.meta.url), 'utf8');
  const [, source = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  return (await import(`data:text/javascript,${encodeURIComponent(source)}`)).Licensing;
}
