/** The issuer and the public keys of license files as constants, in the languages that apps are written in. */

/** The constants that an app embeds. */
export interface EmbeddedKeys {
  readonly issuer: string;
  readonly publicKeys: readonly { readonly kid: string; readonly x: string }[];
}

type Writer = (keys: EmbeddedKeys) => readonly string[];

/** Key ids and keys are base64url and the issuer is a URN, so no text needs escaping in any language. */
const WRITERS = {
  c: ({ issuer, publicKeys }) => [
    `#define LATCHKEY_ISSUER "${issuer}"`,
    `#define LATCHKEY_PUBLIC_KEY_COUNT ${publicKeys.length}`,
    'static const latchkey_public_key LATCHKEY_PUBLIC_KEYS[] = {',
    ...publicKeys.map(({ kid, x }) => `    {"${kid}", "${x}"},`),
    '};',
  ],
  csharp: ({ issuer, publicKeys }) => [
    `public const string Issuer = "${issuer}";`,
    'public static readonly PublicKey[] PublicKeys =',
    '{',
    ...publicKeys.map(({ kid, x }) => `    new PublicKey("${kid}", "${x}"),`),
    '};',
  ],
  python: ({ issuer, publicKeys }) => [
    `ISSUER = "${issuer}"`,
    'PUBLIC_KEYS = [',
    ...publicKeys.map(({ kid, x }) => `    PublicKey("${kid}", "${x}"),`),
    ']',
  ],
  go: ({ issuer, publicKeys }) => [
    `const issuer = "${issuer}"`,
    '',
    'var publicKeys = []latchkey.PublicKey{',
    ...publicKeys.map(({ kid, x }) => `\t{Kid: "${kid}", X: "${x}"},`),
    '}',
  ],
  rust: ({ issuer, publicKeys }) => [
    `pub const ISSUER: &str = "${issuer}";`,
    'pub const PUBLIC_KEYS: &[(&str, &str)] = &[',
    ...publicKeys.map(({ kid, x }) => `    ("${kid}", "${x}"),`),
    '];',
  ],
  js: ({ issuer, publicKeys }) => [
    `export const issuer = '${issuer}';`,
    'export const publicKeys = [',
    ...publicKeys.map(({ kid, x }) => `  { kid: '${kid}', x: '${x}' },`),
    '];',
  ],
} as const satisfies Readonly<Record<string, Writer>>;

/** A language that {@link constantsIn} writes. */
export type Language = keyof typeof WRITERS;

export const LANGUAGES = Object.keys(WRITERS) as readonly Language[];

/** The constants to paste into the source of an app. */
export function constantsIn(language: Language, keys: EmbeddedKeys): string {
  return WRITERS[language](keys).join('\n');
}
