/** Time for a browser to read the file. Safari reads it after the click, and finds nothing at a revoked address. */
const READ_WITHIN_MS = 60_000;

/** Downloads a file through the browser. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), READ_WITHIN_MS);
}
