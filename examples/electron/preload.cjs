/** What pages of the app can call. */
const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('license', {
  get: () => ipcRenderer.invoke('license:get'),
  activate: (key) => ipcRenderer.invoke('license:activate', key),
  deactivate: () => ipcRenderer.invoke('license:deactivate'),
  onChange: (listener) => ipcRenderer.on('license:changed', (_event, view) => listener(view)),
  onSaveWork: (listener) => ipcRenderer.on('license:save-work', () => listener()),
});
