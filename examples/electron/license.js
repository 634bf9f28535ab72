/** The license as the windows of the app see it, and the actions that they may request. */
import { sentenceFor, sentenceForError } from '../what-to-show.js';

export function offerLicense(latchkey, { app, ipcMain, windows }) {
  const view = (state) => ({ state, sentence: sentenceFor(state) });

  ipcMain.handle('license:get', () => view(latchkey.state));
  ipcMain.handle('license:activate', (_event, key) => attempt(() => latchkey.activate(key)));
  ipcMain.handle('license:deactivate', () => attempt(() => latchkey.deactivate()));
  latchkey.on('state', ({ new: state }) => {
    for (const window of windows()) window.webContents.send('license:changed', view(state));
  });
  latchkey.on('seat-lost', () => {
    for (const window of windows()) window.webContents.send('license:save-work');
  });

  /** Errors do not survive the way to a window as they are, so the sentence goes. */
  async function attempt(change) {
    try {
      await change();
      return view(latchkey.state);
    } catch (error) {
      return { state: latchkey.state, sentence: sentenceForError(error) };
    }
  }

  let hasStopped = false;
  app.on('before-quit', async (event) => {
    if (hasStopped) return;
    // A seat is given back before the app is gone.
    event.preventDefault();
    await latchkey.close();
    hasStopped = true;
    app.quit();
  });
}
