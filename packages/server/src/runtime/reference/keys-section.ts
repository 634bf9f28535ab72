/** The two addresses of the public keys for license files; licensing/license-files/key-documents.ts serves them. */
import Type from 'typebox';
import { type DescribedEndpoint, type DescribedSection, ofSite } from './described.ts';

const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const kid = 'k3f9a1c0b7d2e';

const jwks: DescribedEndpoint = {
  ...ofSite,
  path: '/.well-known/jwks.json',
  summary: 'The public keys of license files, for tools',
  description: 'A JSON Web Key Set. It may be kept for an hour.',
  reply: Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('OKP'),
        crv: Type.Literal('Ed25519'),
        x: Type.String({ description: 'The key, base64url.' }),
        kid: Type.String({ description: 'Names the key in the header of a file.' }),
        alg: Type.Literal('EdDSA'),
        use: Type.Literal('sig'),
      }),
    ),
  }),
  example: { request: {}, reply: { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }] } },
};

const keyList: DescribedEndpoint = {
  ...ofSite,
  path: '/.well-known/latchkey-keys.json',
  summary: 'The same keys, signed by each of them, for apps',
  description:
    'An app that carries one of the keys learns the others from it; docs/apps/license-files.md says how. It may be kept for an hour.',
  reply: Type.Object({
    keys: Type.Array(Type.String(), { description: 'The list of all keys as a JWS, once for each key that signs it.' }),
  }),
  example: { request: {}, reply: { keys: ['eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJ1cm46bGF0Y2hrZXkifQ.q0Zr8c'] } },
};

export const keysSection: DescribedSection = {
  title: 'Public keys',
  description: 'For apps and tools that verify license files. No credential.',
  endpoints: [jwks, keyList],
};
