/** The main process. It alone holds the client; windows get the state, and ask by messages. */
import { fileURLToPath } from 'node:url';
import { createLatchkey } from '@latchkey/client/electron';
import { app, BrowserWindow, ipcMain, net, safeStorage } from 'electron';
import { options } from '../options.js';
import { offerLicense } from './license.js';

// Without `await`: Electron is ready after this module was evaluated, so a module that waits for it never ends.
app.whenReady().then(async () => {
  const latchkey = createLatchkey({ ...options, safeStorage, net });
  offerLicense(latchkey, { app, ipcMain, windows: () => BrowserWindow.getAllWindows() });
  await latchkey.start();
  const preload = fileURLToPath(new URL('preload.cjs', import.meta.url));
  await new BrowserWindow({ webPreferences: { preload } }).loadFile('index.html');
});
