/**
 * Gives the console's own files React as a module with named exports. React's package is CommonJS: each file of the
 * build that uses it would need the bundler's helpers, and these would become a separate file, which costs one more
 * request.
 */
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

/** The module that replaces React; no file of the console mentions its name. */
const STAND_IN = '\0latchkey-react';
/** Modules of packages import React itself. */
const OF_PACKAGE = /[\\/]node_modules[\\/]/;
const NAME = /^[A-Za-z]\w*$/;

/** Creates the Vite plugin. */
export function oneReact(): Plugin {
  const require = createRequire(import.meta.url);
  return {
    name: 'latchkey-one-react',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source !== 'react' || importer === undefined) return null;
      return importer === STAND_IN || OF_PACKAGE.test(importer) ? null : STAND_IN;
    },
    load(id) {
      if (id !== STAND_IN) return null;
      const names = Object.keys(require('react')).filter((name) => NAME.test(name));
      return `export { ${names.join(', ')} } from ${JSON.stringify(require.resolve('react'))};`;
    },
  };
}
