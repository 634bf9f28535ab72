/** Lists the npm packages in the built console, so that the server's package can include their license texts. */
import type { Plugin } from 'vite';

/** The file in the build folder: package names as a JSON list. */
export const BUNDLED_PACKAGES = 'bundled-packages.json';

/** Creates the Vite plugin. */
export function bundledPackages(): Plugin {
  return {
    name: 'latchkey-bundled-packages',
    generateBundle(_, bundle) {
      const names = new Set<string>();
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk') continue;
        for (const module of part.moduleIds) {
          const name = packageOf(module);
          if (name !== null) names.add(name);
        }
      }
      const source = `${JSON.stringify([...names].toSorted(), null, 2)}\n`;
      this.emitFile({ type: 'asset', fileName: BUNDLED_PACKAGES, source });
    },
  };
}

/** The package of a module; null for modules of the console itself. */
export function packageOf(module: string): string | null {
  const [, inside] = module.replaceAll('\\', '/').split(/.*\/node_modules\//);
  if (inside === undefined) return null;
  const [first = '', second = ''] = inside.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
