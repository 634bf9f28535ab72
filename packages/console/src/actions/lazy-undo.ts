/** Loads the undoing of whole requests on demand. The first script holds this import, so no screen does. */
export const loadUndoOfRequest = () => import('./undo-of-request.ts');
