/** Reads the settings of self-service. */
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from '../../ground/base/web-address.ts';
import { ConfigValueError, type Form } from './forms.ts';
import type { Environment } from './names.ts';

/** Settings of the pages for customers (docs/shops/self-service.md). */
export interface SelfServiceConfig {
  /** `shops`: licenses are shown only on the page of the creator who owns their product. */
  readonly mode: 'on' | 'shops';
  /** The most devices of a license that its customer may free within 30 days; null: none. */
  readonly maxReleases: number | null;
  /** Whether customers may make files for computers without a connection. */
  readonly makesFiles: boolean;
  /** The address of the service for browsers, without a slash at its end. */
  readonly publicUrl: string;
}

/** `off`, `on` or `shops`. */
export const selfServiceMode: Form<'off' | 'on' | 'shops'> = (text) => {
  if (text === 'off' || text === 'on' || text === 'shops') return text;
  throw new ConfigValueError(`is ${JSON.stringify(text.slice(0, 40))}; it must be off, on or shops`);
};

/** Paths of the service that a prefix cannot begin with: a proxy that leaves it on would be misunderstood. */
const OWN_PATHS = /^\/(?:my|docs|console|connect|sign-in)(?:\/|$)/;

/** The address of the service for browsers: an https origin, and the path of a proxy that others share. */
export const publicUrl: Form<string> = (text) => {
  if (hasControlCharacter(text)) throw new ConfigValueError(NO_CONTROL_CHARACTERS);
  const url = URL.parse(text);
  const isAddress = /^https:\/\/[^/?#]+(?:\/[\w.~-]+)*\/?$/i.test(text) && !/\/\.{1,2}(?:\/|$)/.test(text);
  if (url === null || !isAddress || url.username !== '' || url.password !== '')
    throw new ConfigValueError(
      'must be an https address, such as https://licenses.example.com or https://example.com/licenses',
    );
  if (OWN_PATHS.test(url.pathname))
    throw new ConfigValueError('must not have a path that begins with /my, /docs, /console, /connect or /sign-in');
  return url.origin + url.pathname.replace(/\/$/, '');
};

/** Returns the settings; null if the pages are off or have no address. */
export function readSelfServiceConfig(given: {
  readonly mode: 'off' | 'on' | 'shops';
  readonly maxReleases: number | null;
  readonly makesFiles: boolean;
  readonly publicUrl: string | null;
}): SelfServiceConfig | null {
  const { mode, maxReleases, makesFiles, publicUrl: url } = given;
  return mode === 'off' || url === null ? null : Object.freeze({ mode, maxReleases, makesFiles, publicUrl: url });
}

/** Returns the errors of variables that self-service needs. */
export function selfServiceContradictions(
  environment: Environment,
  config: { readonly database: { readonly engine: string }; readonly secretsKey: string | null },
): string[] {
  const mode = environment.LATCHKEY_SELF_SERVICE;
  if (mode !== 'on' && mode !== 'shops') return [];
  const errors: string[] = [];
  if (!environment.LATCHKEY_PUBLIC_URL)
    errors.push(`LATCHKEY_PUBLIC_URL must be set too when LATCHKEY_SELF_SERVICE is ${mode}`);
  if (config.database.engine === 'postgres' && config.secretsKey === null)
    errors.push(`LATCHKEY_SECRETS_KEY must be set too when LATCHKEY_SELF_SERVICE is ${mode} on PostgreSQL`);
  return errors;
}

/** Returns the settings of self-service. @throws an error for the operator if the pages are off */
export function requireSelfService(config: { readonly selfService: SelfServiceConfig | null }): SelfServiceConfig {
  if (config.selfService === null) throw new Error('The pages for customers are off (LATCHKEY_SELF_SERVICE).');
  return config.selfService;
}
