/**
 * Modules of Node.js that the service loads: one implementation of HTTP, not the second one that an import of the
 * module brings.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { processEnvironment } from '../../support/process-environment.ts';

/** Node.js's own name for its second implementation, among the modules that a process has loaded. */
const SECOND = 'NativeModule internal/deps/undici/undici';

/** Whether a process that imports a module has loaded the second implementation. */
async function loadsSecond(module: string): Promise<boolean> {
  const program = `await import(${JSON.stringify(module)}); console.log(process.moduleLoadList.includes('${SECOND}'))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: processEnvironment,
  });
  return stdout.trim() === 'true';
}

describe('the service', () => {
  it('does not load the HTTP client of Node.js, which it never uses', async () => {
    assert.equal(await loadsSecond('node:http'), true, 'the name of the module has changed: this test shows nothing');
    assert.equal(
      await loadsSecond(new URL('../../../src/operations/commands/command-line.ts', import.meta.url).href),
      false,
    );
  });
});
