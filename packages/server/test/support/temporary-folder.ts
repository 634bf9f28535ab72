import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A folder that is removed after a test; without one, after the tests of the file or suite that asks for it. */
export function temporaryFolder(test: { after(remove: () => void): void } = { after }): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
