/** Environment variables that every process started by tests needs from the tests themselves. */

const { PATH, TMPDIR, NODE_COMPILE_CACHE, LATCHKEY_TEST_BUNDLES } = process.env;

/** Makes a program of the service start from its bundle (test/bundled-programs.ts), which long runs have. */
const BUNDLED =
  LATCHKEY_TEST_BUNDLES === undefined
    ? {}
    : {
        LATCHKEY_TEST_BUNDLES,
        NODE_OPTIONS: `--import=${new URL('../../../../test/bundled-programs.ts', import.meta.url).href}`,
      };

/** Paths of programs, the folder for temporary files, and the compiled modules of this run (see global-setup.ts). */
export const processEnvironment: Readonly<NodeJS.ProcessEnv> = { PATH, TMPDIR, NODE_COMPILE_CACHE, ...BUNDLED };
